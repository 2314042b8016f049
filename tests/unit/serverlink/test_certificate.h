#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace svc::serverlink {

/// A self-signed certificate for 127.0.0.1 that is good for an hour, in files.
class TestCertificate {
 public:
  explicit TestCertificate(const std::filesystem::path& directory)
      : key_file(directory / "key.pem"), file(directory / "certificate.pem") {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                  &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), key.get());
    auto* name = X509_get_subject_name(made.get());
    const std::string common_name = "127.0.0.1";
    X509_NAME_add_entry_by_NID(
        name, NID_commonName, MBSTRING_ASC,
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the library's type of text
        reinterpret_cast<const unsigned char*>(common_name.data()),
        static_cast<int>(common_name.size()), -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509_sign(made.get(), key.get(), EVP_sha256());
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    X509_digest(made.get(), EVP_sha256(), digest, &size);
    for (unsigned at = 0; at < size; ++at) {
      fingerprint += fmt::format("{:02x}", digest[at]);
    }
    write(key_file, [&](FILE* out) {
      PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
    write(file, [&](FILE* out) { PEM_write_X509(out, made.get()); });
  }

  std::filesystem::path key_file;
  std::filesystem::path file;
  std::string fingerprint;

 private:
  template <class Write>
  static void write(const std::filesystem::path& path, Write content) {
    auto* out = std::fopen(path.c_str(), "w");
    content(out);
    std::fclose(out);
  }
};

}  // namespace svc::serverlink
