// A program that runs in the runtime: the main() of its library (launch.h).
#include "launch.h"

int main(int /*argc*/, char** argv) { return svc::node::launch(argv); }
