#include "kvasir/hdfs/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

#include "kvasir/hdfs/wire.hpp"

namespace kvasir::hdfs {
namespace {

constexpr int kConnectMs = 15'000;
constexpr int kSilenceS = 60;
constexpr std::size_t kBuffer = 128U << 10U;

std::string reason(int number) { return std::generic_category().message(number); }

/// Connects within the time limit; 0 or the system's error number.
int connect_in_time(int socket, const sockaddr* to, socklen_t length) {
    const int flags = ::fcntl(socket, F_GETFL);
    (void)::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
    if (::connect(socket, to, length) != 0) {
        if (errno != EINPROGRESS) {
            return errno;
        }
        pollfd waiting{socket, POLLOUT, 0};
        if (::poll(&waiting, 1, kConnectMs) <= 0) {
            return ETIMEDOUT;
        }
        int failed = 0;
        socklen_t size = sizeof(failed);
        (void)::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &size);
        if (failed != 0) {
            return failed;
        }
    }
    (void)::fcntl(socket, F_SETFL, flags);
    return 0;
}

void set_options(int socket) {
    const timeval silence{kSilenceS, 0};
    (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
    (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof(silence));
    const int yes = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

}  // namespace

Address parse_address(std::string_view text) {
    std::string_view rest = text;
    constexpr std::string_view scheme = "hdfs://";
    if (rest.substr(0, scheme.size()) == scheme) {
        rest.remove_prefix(scheme.size());
    }
    const std::size_t colon = rest.rfind(':');
    Address address;
    if (colon != std::string_view::npos && colon != 0) {
        address.host = rest.substr(0, colon);
        const std::string_view port = rest.substr(colon + 1);
        const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), address.port);
        if (code == std::errc() && end == port.data() + port.size() && address.port != 0) {
            return address;
        }
    }
    throw Error("'" + std::string(text) + "': expected HOST:PORT or hdfs://HOST:PORT of the NameNode");
}

Connection::Connection(const Address& address, std::string daemon)
    : daemon_(std::move(daemon)), buffer_(kBuffer) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code =
        ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
    if (code != 0) {
        throw error("host " + address.host + " is not known: " + ::gai_strerror(code));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
    int failed = 0;
    for (const addrinfo* one = found; one != nullptr && socket_ < 0; one = one->ai_next) {
        socket_ = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        failed = socket_ < 0 ? errno : connect_in_time(socket_, one->ai_addr, one->ai_addrlen);
        if (failed != 0 && socket_ >= 0) {
            ::close(socket_);
            socket_ = -1;
        }
    }
    if (socket_ < 0) {
        throw error("cannot connect: " + reason(failed));
    }
    set_options(socket_);
}

Connection::~Connection() { ::close(socket_); }

void Connection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            throw error(errno == EAGAIN ? "takes nothing for " + std::to_string(kSilenceS) + " s"
                                        : "the connection broke: " + reason(errno));
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

std::size_t Connection::receive(char* to, std::size_t bytes) {
    while (true) {
        const ssize_t got = ::recv(socket_, to, bytes, 0);
        if (got > 0) {
            return static_cast<std::size_t>(got);
        }
        if (got == 0) {
            throw error("closed the connection");
        }
        if (errno != EINTR) {
            throw error(errno == EAGAIN ? "does not answer for " + std::to_string(kSilenceS) + " s"
                                        : "the connection broke: " + reason(errno));
        }
    }
}

void Connection::read(char* to, std::size_t bytes) {
    while (bytes != 0) {
        if (begin_ == end_) {
            if (bytes >= buffer_.size()) {  // no need to pass through the buffer
                const std::size_t got = receive(to, bytes);
                to += got;
                bytes -= got;
                continue;
            }
            begin_ = 0;
            end_ = 0;
            end_ = receive(buffer_.data(), buffer_.size());
        }
        const std::size_t part = std::min(bytes, end_ - begin_);
        std::memcpy(to, buffer_.data() + begin_, part);
        begin_ += part;
        to += part;
        bytes -= part;
    }
}

std::uint64_t Connection::read_varint() {
    std::string digits;
    do {
        char byte = 0;
        read(&byte, 1);
        digits += byte;
    } while ((digits.back() & '\x80') != 0 && digits.size() < 10);
    std::string_view view = digits;
    return take_varint(view);
}

std::string Connection::read_delimited() {
    constexpr std::uint64_t most = 64U << 20U;
    const std::uint64_t size = read_varint();
    if (size > most) {
        throw error("answers something else than HDFS's protocol");
    }
    std::string message(size, '\0');
    read(message.data(), size);
    return message;
}

bool Connection::readable() const {
    if (begin_ != end_) {
        return true;
    }
    pollfd waiting{socket_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
}

std::vector<std::string> own_names() {
    std::vector<std::string> names;
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) {
        names.emplace_back(name.data());
    }
    ifaddrs* found = nullptr;
    if (::getifaddrs(&found) != 0) {
        return names;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(found, &::freeifaddrs);
    for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
        const int family = one->ifa_addr == nullptr ? AF_UNSPEC : one->ifa_addr->sa_family;
        if (family == AF_INET || family == AF_INET6) {
            const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
            if (::getnameinfo(one->ifa_addr, size, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST) ==
                0) {
                names.emplace_back(name.data());
            }
        }
    }
    return names;
}

}  // namespace kvasir::hdfs
