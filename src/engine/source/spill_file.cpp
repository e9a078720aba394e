#include "kvasir/detail/spill_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "kvasir/error.hpp"
#include "kvasir/hdfs/checksum.hpp"

#if defined(KVASIR_COMPRESSION)
#include <lz4.h>
#endif

namespace kvasir::detail {
namespace {

// Without LZ4 no block is packed, and one that says it is cannot be read.
#if defined(KVASIR_COMPRESSION)
std::size_t packed_bound(std::size_t bytes) {
    return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(bytes)));
}

/// Returns the length of the packed bytes; 0 where `room` does not suffice.
std::size_t pack(const char* raw, std::size_t bytes, char* packed, std::size_t room) {
    const int length = LZ4_compress_default(raw, packed, static_cast<int>(bytes), static_cast<int>(room));
    return length > 0 ? static_cast<std::size_t>(length) : 0;
}

/// Returns whether the packed bytes are good ones and become exactly `wanted` bytes.
bool unpack(const char* packed, std::size_t bytes, char* raw, std::size_t wanted) {
    const int length = LZ4_decompress_safe(packed, raw, static_cast<int>(bytes), static_cast<int>(wanted));
    return length >= 0 && static_cast<std::size_t>(length) == wanted;
}
#else
std::size_t packed_bound(std::size_t /*bytes*/) { return 0; }
std::size_t pack(const char*, std::size_t, char*, std::size_t) { return 0; }
bool unpack(const char*, std::size_t, char*, std::size_t) { return false; }
#endif

std::uint32_t checksum_of_block(const char* data, std::size_t bytes) {
    return hdfs::checksum(hdfs::ChecksumKind::crc32c, {data, bytes});
}

/// Returns the bytes that a file of this process may have. Beyond them the system sends a signal that ends
/// it.
std::uint64_t file_size_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                   : UINT64_MAX;
}

}  // namespace

int open_unnamed(const std::string& folder) {
    return open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

int open_and_unlink(const std::string& folder) {
    std::string path = folder + "/kvasir-spill-XXXXXX";
    const int file = mkostemp(path.data(), O_CLOEXEC);
    if (file >= 0 && unlink(path.c_str()) != 0) {
        const int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

SpillFile::SpillFile(MemoryMeter& meter, const std::string& folder, std::size_t block_words)
    : folder_(folder),
      block_words_(block_words),
      packed_(meter, (packed_bound(block_words * sizeof(std::uint64_t)) + 7) / 8),
      file_(open_unnamed(folder)) {
    // Kernels and file systems without unnamed files say so in different ways.
    if (file_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)) {
        file_ = open_and_unlink(folder);
    }
    if (file_ < 0) {
        throw file_error("cannot make a file in the spill folder", folder, errno);
    }
}

bool SpillFile::compresses() { return packed_bound(1) != 0; }

SpillFile::~SpillFile() { close(file_); }

SpillBlock SpillFile::write(const std::uint64_t* data, std::size_t words) {
    const auto* raw = reinterpret_cast<const char*>(data);
    const std::size_t bytes = words * sizeof(std::uint64_t);
    SpillBlock block{bytes_, bytes, words, 0, false};
    const char* from = raw;
    if (words <= block_words_) {
        auto* packed = reinterpret_cast<char*>(packed_.data());
        const std::size_t length = pack(raw, bytes, packed, packed_.bytes());
        if (length != 0 && length < bytes) {
            block.bytes = length;
            block.packed = true;
            from = packed;
        }
    }
    block.checksum = checksum_of_block(from, block.bytes);
    append(from, block.bytes);
    return block;
}

void SpillFile::read(const SpillBlock& block, std::uint64_t* to) {
    auto* raw = reinterpret_cast<char*>(to);
    char* into = block.packed ? reinterpret_cast<char*>(packed_.data()) : raw;
    read_at(block.place, into, block.bytes);
    bool good = checksum_of_block(into, block.bytes) == block.checksum;
    if (good && block.packed) {
        good = unpack(into, block.bytes, raw, block.words * sizeof(std::uint64_t));
    }
    if (!good) {
        throw Error("spill: a block of " + std::to_string(block.bytes) + " bytes at " +
                    std::to_string(block.place) + " of a file in " + folder_ +
                    " is damaged (its checksum differs); check the disk, or give --spill another folder");
    }
}

void SpillFile::append(const char* data, std::size_t bytes) {
    std::size_t done = 0;
    int error = bytes_ + bytes > file_size_limit() ? EFBIG : 0;
    while (error == 0 && done < bytes) {
        const ssize_t count = pwrite(file_, data + done, bytes - done, static_cast<off_t>(bytes_ + done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            error = count == 0 ? ENOSPC : errno;
        }
    }
    if (error != 0) {
        throw Error("spill: cannot write " + megabytes(bytes) + " more to a file in " + folder_ +
                    ", which holds " + megabytes(bytes_) + ": " + std::generic_category().message(error) +
                    "; give --spill a folder with more room, or use a larger --memory or more ranks");
    }
    bytes_ += bytes;
}

void SpillFile::read_at(std::uint64_t place, char* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t count = pread(file_, to + done, bytes - done, static_cast<off_t>(place + done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0) {
            throw Error("spill: a file in " + folder_ + " became shorter; check the disk");
        } else if (errno != EINTR) {
            throw file_error("spill: cannot read a file in", folder_, errno);
        }
    }
}

}  // namespace kvasir::detail
