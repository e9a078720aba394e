// Messages of Hadoop's servers: any bytes are read or refused by Error.

#include "input.hpp"
#include "kvasir/error.hpp"
#include "kvasir/hdfs/namenode.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kvasir;
    const std::string_view message = fuzz::Input(data, size).rest();
    try {
        (void)hdfs::parse_block(message);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): said, and the job ends
    }
    try {
        (void)hdfs::parse_status(message, "/folder");
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
    return 0;
}
