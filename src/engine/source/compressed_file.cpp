#include "kvasir/detail/compressed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>

#include "kvasir/error.hpp"

#if KVASIR_COMPRESSION
#include <zlib.h>
#include <zstd.h>
#endif

namespace kvasir {

Compression compression_of(std::string_view begin) {
    using namespace std::string_view_literals;
    if (begin.substr(0, 3) == "\x1f\x8b\x08"sv) {
        return Compression::gzip;
    }
    // Zstandard's frames, and the skippable ones that may come before them.
    const bool skippable =
        begin.size() >= 4 && (begin[0] & '\xf0') == '\x50' && begin.substr(1, 3) == "\x2a\x4d\x18"sv;
    return skippable || begin.substr(0, 4) == "\x28\xb5\x2f\xfd"sv ? Compression::zstd : Compression::none;
}

bool reads_compressed() {
#if KVASIR_COMPRESSION
    return true;
#else
    return false;
#endif
}

std::string name_of(Compression value) {
    switch (value) {
        case Compression::gzip:
            return "gzip";
        case Compression::zstd:
            return "Zstandard";
        case Compression::none:
            break;
    }
    return "none";
}

}  // namespace kvasir

namespace kvasir::detail {

#if KVASIR_COMPRESSION

class CompressedFile::Decoder {
  public:
    Decoder(std::string path, Compression compression) : path_(std::move(path)), compression_(compression) {
        file_ = std::fopen(path_.c_str(), "rbe");
        if (file_ == nullptr) {
            throw file_error("cannot read", path_, errno);
        }
    }
    virtual ~Decoder() { (void)std::fclose(file_); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    std::size_t read(char* to, std::size_t bytes) {
        std::size_t done = 0;
        while (done != bytes && !ended_) {
            if (at_ == size_) {
                refill();
            }
            if (size_ == 0 && !inside()) {
                ended_ = true;
            } else {
                const std::size_t got = decode(to + done, bytes - done);
                if (got == 0 && size_ == 0) {
                    throw Error("cannot read " + path_ + ": its " + name_of(compression_) +
                                " data ends in the middle; the file is truncated");
                }
                done += got;
            }
        }
        return done;
    }

  protected:
    /// Decodes some of the input; returns the number of bytes written to `to`.
    virtual std::size_t decode(char* to, std::size_t most) = 0;
    /// Whether the text may not end here.
    virtual bool inside() const = 0;

    const char* input() const { return buffer_.data() + at_; }
    std::size_t available() const { return size_ - at_; }
    void consume(std::size_t bytes) { at_ += bytes; }
    [[noreturn]] void damaged(const std::string& how) const {
        throw Error("cannot read " + path_ + ": its " + name_of(compression_) + " data is damaged (" + how +
                    ")");
    }

  private:
    void refill() {
        at_ = 0;
        size_ = std::fread(buffer_.data(), 1, buffer_.size(), file_);
        if (size_ == 0 && std::ferror(file_) != 0) {
            throw file_error("cannot read", path_, errno);
        }
    }

    std::string path_;
    Compression compression_;
    std::FILE* file_ = nullptr;
    std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 17U);
    std::size_t at_ = 0;
    std::size_t size_ = 0;
    bool ended_ = false;
};

namespace {

class GzipDecoder : public CompressedFile::Decoder {
  public:
    explicit GzipDecoder(const std::string& path) : Decoder(path, Compression::gzip) {
        constexpr int with_gzip_header = 16;
        if (inflateInit2(&stream_, MAX_WBITS + with_gzip_header) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~GzipDecoder() override { inflateEnd(&stream_); }
    GzipDecoder(const GzipDecoder&) = delete;
    GzipDecoder& operator=(const GzipDecoder&) = delete;

  protected:
    std::size_t decode(char* to, std::size_t most) override {
        if (!inside_ && available() != 0) {
            if (padding_ || *input() == 0) {  // tapes and some tools fill up with zeros
                skip_padding();
                return 0;
            }
            inflateReset(&stream_);
            inside_ = true;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input()));
        stream_.avail_in = static_cast<uInt>(available());
        stream_.next_out = reinterpret_cast<Bytef*>(to);
        const std::size_t piece = std::min<std::size_t>(most, std::size_t{1} << 30U);
        stream_.avail_out = static_cast<uInt>(piece);
        const int code = inflate(&stream_, Z_NO_FLUSH);
        consume(available() - stream_.avail_in);
        if (code == Z_STREAM_END) {
            inside_ = false;
        } else if (code == Z_MEM_ERROR) {
            throw std::bad_alloc();
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            damaged(stream_.msg != nullptr ? stream_.msg : "zlib error " + std::to_string(code));
        }
        return piece - stream_.avail_out;
    }
    bool inside() const override { return inside_; }

  private:
    void skip_padding() {
        padding_ = true;
        while (available() != 0) {
            if (*input() != 0) {
                damaged("other bytes follow it");
            }
            consume(1);
        }
    }

    z_stream stream_{};
    bool inside_ = true;  ///< an empty file is no gzip file
    bool padding_ = false;
};

class ZstdDecoder : public CompressedFile::Decoder {
  public:
    explicit ZstdDecoder(const std::string& path)
        : Decoder(path, Compression::zstd), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
        if (!stream_) {
            throw std::bad_alloc();
        }
    }

  protected:
    std::size_t decode(char* to, std::size_t most) override {
        ZSTD_inBuffer in{input(), available(), 0};
        ZSTD_outBuffer out{to, most, 0};
        const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
        if (ZSTD_isError(code) != 0) {
            damaged(ZSTD_getErrorName(code));
        }
        consume(in.pos);
        inside_ = code != 0;
        return out.pos;
    }
    bool inside() const override { return inside_; }

  private:
    std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
    bool inside_ = true;
};

}  // namespace

CompressedFile::CompressedFile(const std::string& path, Compression compression) {
    if (compression == Compression::gzip) {
        decoder_ = std::make_unique<GzipDecoder>(path);
    } else {
        decoder_ = std::make_unique<ZstdDecoder>(path);
    }
}

std::size_t CompressedFile::read(char* to, std::size_t bytes) { return decoder_->read(to, bytes); }

#else

class CompressedFile::Decoder {};

CompressedFile::CompressedFile(const std::string& path, Compression compression) {
    throw Error(
        "cannot read " + path + ": it is compressed (" + name_of(compression) +
        "), and this engine was built without zlib and Zstandard; unpack it, or build the engine with "
        "-DKVASIR_COMPRESSION=ON");
}

std::size_t CompressedFile::read(char* /*to*/, std::size_t /*bytes*/) { return 0; }

#endif

CompressedFile::~CompressedFile() = default;

}  // namespace kvasir::detail
