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
    while (end_ < least && !ended_) {
        // Room grows with what has arrived: a broken file may announce more than there is memory for.
        const std::size_t room = std::min(wanted, std::max(slice_, 2 * end_));
        if (buffer_.size() < room + kPadding) {
            buffer_.resize(room + kPadding);
        }
        const std::size_t got = source_.read(buffer_.data() + end_, room - end_);
        ended_ = got < room - end_;
        end_ += got;
    }
    return {buffer_.data() + begin_, end_ - begin_};
}

}  // namespace kvasir::hdfs
