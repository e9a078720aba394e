#include "kvasir/hdfs/bytes.hpp"

#include <algorithm>
#include <cstring>

namespace kvasir::hdfs {

std::string_view Window::view(std::size_t least) {
    if (end_ - begin_ >= least || ended_) {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    const std::size_t wanted = std::max(least, slice_);
    if (begin_ != 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() < wanted + kPadding) {
        buffer_.resize(wanted + kPadding);
    }
    while (end_ < least && !ended_) {
        const std::size_t got = source_.read(buffer_.data() + end_, wanted - end_);
        ended_ = got < wanted - end_;
        end_ += got;
    }
    return {buffer_.data() + begin_, end_ - begin_};
}

}  // namespace kvasir::hdfs
