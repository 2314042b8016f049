# Writes OUTPUT: a C++ file that defines SYMBOL as a std::string_view over the text of INPUT.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"
namespace ${NAMESPACE} {
namespace {
constexpr unsigned char kBytes[] = {${bytes}0};
}
const std::string_view ${SYMBOL}{reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1};
}  // namespace ${NAMESPACE}
")
