#include "kvasir/hdfs/namenode.hpp"

#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "kvasir/clock.hpp"

namespace kvasir::hdfs {
namespace {

constexpr const char* kProtocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
constexpr std::uint64_t kProtobufRpc = 2;
constexpr std::uint64_t kRpcSuccess = 0;
/// After so many seconds a silent connection may have been closed by the other side.
constexpr double kFreshS = 5;

Message header(std::int64_t call, const std::string& id) {
    Message message;
    message.number(1, kProtobufRpc).number(2, 0).zigzag(3, call).bytes(4, id).zigzag(5, -1);
    return message;
}

/// A frame of the RPC: the length of all, then each message with its own.
std::string frame(std::initializer_list<const Message*> messages) {
    std::string body;
    for (const Message* message : messages) {
        message->append_delimited(body);
    }
    std::string framed;
    append_int32(framed, static_cast<std::uint32_t>(body.size()));
    return framed + body;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string last_part(const std::string& name) {
    const std::size_t dot = name.find_last_of(".$");
    return dot == std::string::npos ? name : name.substr(dot + 1);
}

/// The first field of a number; empty where there is none.
std::string_view field(std::string_view message, unsigned number) {
    for (Fields fields(message); fields.next();) {
        if (fields.number() == number) {
            return fields.bytes();
        }
    }
    return {};
}

bool truth(std::string_view message) {
    for (Fields fields(message); fields.next();) {
        if (fields.number() == 1) {
            return fields.value() != 0;
        }
    }
    return false;
}

}  // namespace

NameNode::NameNode(Address address, std::string user) : address_(std::move(address)), user_(std::move(user)) {
    std::random_device random;
    for (int i = 0; i < 4; ++i) {
        append_int32(id_, random());
    }
    client_ = "kvasir_" + std::to_string(::getpid()) + "_" + std::to_string(random());
}

void NameNode::connect() {
    connection_.reset();
    connection_ = std::make_unique<Connection>(address_, "NameNode " + address_.text());
    constexpr int context_call = -3;
    // Version 9, no service class, no authentication protocol.
    std::string hello("hrpc\x09\x00\x00", 7);
    Message user;
    user.bytes(1, user_);
    Message context;
    context.message(2, user).bytes(3, kProtocol);
    const Message head = header(context_call, id_);
    hello += frame({&head, &context});
    connection_->send(hello);
}

std::string NameNode::exchange(const char* method, const std::string& path, const Message& request) {
    constexpr std::uint32_t longest = 256U << 20U;
    if (!connection_ || PhaseClock::monotonic() - last_used_ > kFreshS) {
        connect();
    }
    Message call;
    call.bytes(1, method).bytes(2, kProtocol).number(3, 1);
    const Message head = header(calls_++, id_);
    connection_->send(frame({&head, &call, &request}));
    char size[4];
    connection_->read(size, sizeof(size));
    if (load_int32(size) > longest) {
        throw connection_->error("answers no Hadoop RPC; is this the port of fs.defaultFS?");
    }
    std::string answer(load_int32(size), '\0');
    connection_->read(answer.data(), answer.size());
    last_used_ = PhaseClock::monotonic();
    std::string_view rest = answer;
    std::uint64_t status = kRpcSuccess;
    std::string exception;
    std::string text;
    for (Fields fields(take_delimited(rest)); fields.next();) {
        switch (fields.number()) {
            case 2:
                status = fields.value();
                break;
            case 4:
                exception = last_part(fields.text());
                break;
            case 5:
                text = first_line(fields.text());
                break;
            default:
                break;
        }
    }
    if (status != kRpcSuccess) {
        throw RemoteError("NameNode " + address_.text() + ": " + method + (path.empty() ? "" : " ") + path +
                              ": " + exception + ": " + text,
                          exception);
    }
    return std::string(take_delimited(rest));
}

std::string NameNode::call(const char* method, const std::string& path, const Message& request) {
    try {
        return exchange(method, path, request);
    } catch (const RemoteError&) {
        throw;
    } catch (...) {
        connection_.reset();
        throw;
    }
}

bool NameNode::find(const std::string& path, FileStatus* status) {
    Message request;
    request.bytes(1, path);
    const std::string answer = call("getFileInfo", path, request);
    const std::string_view found = field(answer, 1);
    if (found.empty()) {
        return false;
    }
    if (status != nullptr) {
        *status = parse_status(found, path);
    }
    return true;
}

std::vector<FileStatus> NameNode::list(const std::string& path) {
    std::vector<FileStatus> all;
    std::string after;
    for (std::uint64_t left = 1; left != 0;) {
        Message request;
        request.bytes(1, path).bytes(2, after).number(3, 0);
        const std::string answer = call("getListing", path, request);
        const std::string_view listing = field(answer, 1);
        if (listing.empty()) {
            throw Error("NameNode " + address_.text() + ": " + path + ": no such file or folder");
        }
        left = 0;
        for (Fields fields(listing); fields.next();) {
            if (fields.number() == 1) {
                all.push_back(parse_status(fields.bytes(), path));
            } else if (fields.number() == 2) {
                left = fields.value();
            }
        }
        if (!all.empty()) {
            after = all.back().path.substr(all.back().path.rfind('/') + 1);
        }
    }
    return all;
}

std::vector<Block> NameNode::blocks(const std::string& path, std::uint64_t offset, std::uint64_t length) {
    Message request;
    request.bytes(1, path).number(2, offset).number(3, length);
    const std::string answer = call("getBlockLocations", path, request);
    std::vector<Block> found;
    for (Fields fields(field(answer, 1)); fields.next();) {
        if (fields.number() == 2) {
            found.push_back(parse_block(fields.bytes()));
        }
    }
    return found;
}

Defaults NameNode::defaults() {
    const std::string answer = call("getServerDefaults", "", Message());
    Defaults defaults;
    for (Fields fields(field(answer, 1)); fields.next();) {
        switch (fields.number()) {
            case 1:
                defaults.block_size = fields.value();
                break;
            case 2:
                defaults.bytes_per_checksum = static_cast<std::uint32_t>(fields.value());
                break;
            case 4:
                defaults.replication = static_cast<std::uint32_t>(fields.value());
                break;
            case 8:
                defaults.checksum = static_cast<ChecksumKind>(fields.value());
                break;
            default:
                break;
        }
    }
    return defaults;
}

void NameNode::make_folder(const std::string& path) {
    Message permission;
    permission.number(1, 0755);
    Message request;
    request.bytes(1, path).message(2, permission).number(3, 1);
    (void)call("mkdirs", path, request);
}

void NameNode::remove(const std::string& path) {
    Message request;
    request.bytes(1, path).number(2, 1);
    (void)call("delete", path, request);
}

void NameNode::rename(const std::string& from, const std::string& to) {
    Message request;
    request.bytes(1, from).bytes(2, to).number(3, 0);
    (void)call("rename2", from, request);
}

std::uint64_t NameNode::create(const std::string& path, std::uint32_t replication, std::uint64_t block_size) {
    constexpr std::uint64_t create_new = 1;
    Message permission;
    permission.number(1, 0644);
    Message request;
    request.bytes(1, path).message(2, permission).bytes(3, client_).number(4, create_new);
    request.number(5, 1).number(6, replication).number(7, block_size);
    const std::string answer = call("create", path, request);
    return parse_status(field(answer, 1), path).id;
}

Block NameNode::add_block(const std::string& path, std::uint64_t file, const Block* previous,
                          const std::vector<DataNode>& excluded) {
    Message request;
    request.bytes(1, path).bytes(2, client_);
    if (previous != nullptr) {
        request.message(3, previous->identity());
    }
    for (const DataNode& node : excluded) {
        request.bytes(4, node.message);
    }
    request.number(5, file);
    constexpr int tries = 10;
    for (int i = 1;; ++i) {
        try {
            const std::string answer = call("addBlock", path, request);
            return parse_block(field(answer, 1));
        } catch (const RemoteError& error) {
            // The block before is not reported by enough DataNodes yet.
            if (error.exception() != "NotReplicatedYetException" || i == tries) {
                throw;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50 * i));
        }
    }
}

void NameNode::abandon(const std::string& path, std::uint64_t file, const Block& block) {
    Message request;
    request.message(1, block.identity()).bytes(2, path).bytes(3, client_).number(4, file);
    (void)call("abandonBlock", path, request);
}

void NameNode::complete(const std::string& path, std::uint64_t file, const Block* last) {
    Message request;
    request.bytes(1, path).bytes(2, client_);
    if (last != nullptr) {
        request.message(3, last->identity());
    }
    request.number(4, file);
    constexpr double patience_s = 30;
    const double began = PhaseClock::monotonic();
    for (int pause_ms = 5; !truth(call("complete", path, request)); pause_ms = std::min(2 * pause_ms, 400)) {
        if (PhaseClock::monotonic() - began > patience_s) {
            throw Error("NameNode " + address_.text() + ": complete " + path +
                        ": the last block is reported by too few DataNodes");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
}

void NameNode::renew_lease() {
    Message request;
    request.bytes(1, client_);
    (void)call("renewLease", "", request);
}

}  // namespace kvasir::hdfs
