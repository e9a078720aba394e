// What the HDFS client sends and understands, without any HDFS.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "kvasir/hdfs/block_stream.hpp"
#include "kvasir/hdfs/file_stream.hpp"

namespace kvasir::hdfs {
namespace {

TEST(Wire, MessagesComeBackAsTheyWere) {
    Message inner;
    inner.bytes(1, "BP-1").number(2, 1'073'741'825);
    Message message;
    message.number(1, 300).zigzag(3, -3).message(15, inner).bytes(200, std::string(200, 'x'));
    EXPECT_EQ(message.data().substr(0, 3), "\x08\xAC\x02");  // as in Protocol Buffers' documentation
    EXPECT_EQ(message.data().substr(3, 2), "\x18\x05");
    Fields fields(message.data());
    ASSERT_TRUE(fields.next());
    EXPECT_EQ(fields.value(), 300U);
    ASSERT_TRUE(fields.next());
    EXPECT_EQ(fields.zigzag(), -3);
    ASSERT_TRUE(fields.next());
    EXPECT_EQ(fields.number(), 15U);
    EXPECT_EQ(fields.bytes(), inner.data());
    ASSERT_TRUE(fields.next());
    EXPECT_EQ(fields.number(), 200U);
    EXPECT_EQ(fields.bytes().size(), 200U);
    EXPECT_FALSE(fields.next());
}

TEST(Wire, CutOffMessagesAreErrors) {
    Message message;
    message.number(1, 300).bytes(2, "text");
    for (std::size_t size : {std::size_t{2}, std::size_t{4}, message.data().size() - 1}) {
        Fields fields(std::string_view(message.data()).substr(0, size));
        EXPECT_THROW(while (fields.next()){}, Error) << size;
    }
    EXPECT_THROW((void)Fields("\x0B").next(), Error);  // a group, which nothing uses
    std::string_view endless("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 11);
    EXPECT_THROW((void)take_varint(endless), Error);
}

TEST(Checksum, KnownValues) {
    EXPECT_EQ(checksum(ChecksumKind::crc32c, "123456789"), 0xE3069283U);  // RFC 3720
    EXPECT_EQ(checksum(ChecksumKind::crc32, "123456789"), 0xCBF43926U);
    const std::string zeros(32, '\0');
    EXPECT_EQ(checksum(ChecksumKind::crc32c, zeros), 0x8A9136AAU);
    std::string data;
    for (int i = 0; i < 1300; ++i) {
        data += static_cast<char>(i * 7);
    }
    for (const ChecksumKind kind : {ChecksumKind::crc32, ChecksumKind::crc32c}) {
        std::string sums(12, '\0');
        write_checksums(kind, 512, data, sums.data());
        EXPECT_EQ(load_int32(sums.data() + 8), checksum(kind, std::string_view(data).substr(1024)));
        EXPECT_TRUE(checksums_match(kind, 512, data, sums.data()));
        data[1299] ^= 1;
        EXPECT_FALSE(checksums_match(kind, 512, data, sums.data()));
        data[1299] ^= 1;
    }
}

TEST(Address, IsHostAndPort) {
    EXPECT_EQ(parse_address("n0:8020").text(), "n0:8020");
    EXPECT_EQ(parse_address("hdfs://10.0.0.1:9000").port, 9000);
    for (const char* wrong : {"", "n0", ":80", "n0:", "n0:0", "n0:70000", "n0:8020/x", "hdfs://n0"}) {
        EXPECT_THROW((void)parse_address(wrong), Error) << wrong;
    }
}

Message data_node(const std::string& ip, std::uint64_t port) {
    Message id;
    id.bytes(1, ip).bytes(2, "host-" + ip).bytes(3, "uuid").number(4, port).number(5, 1).number(6, 2);
    Message info;
    return info.message(1, id).number(2, 1'000'000);
}

TEST(NameNode, BlocksAndFilesAreRead) {
    Message identity;
    identity.bytes(1, "BP-7").number(2, 9).number(3, 1001).number(4, 512);
    Message message;
    message.message(1, identity).number(2, 4096).message(3, data_node("10.0.0.1", 9866));
    message.message(3, data_node("10.0.0.2", 9867))
        .number(4, 0)
        .bytes(5, "\x0A\x00")
        .number(7, 1)
        .number(7, 4);
    message.bytes(8, "DS-1").bytes(8, "DS-2");
    const Block block = parse_block(message.data());
    EXPECT_EQ(block.pool, "BP-7");
    EXPECT_EQ(block.id, 9U);
    EXPECT_EQ(block.generation, 1001U);
    EXPECT_EQ(block.bytes, 512U);
    EXPECT_EQ(block.offset, 4096U);
    ASSERT_EQ(block.data_nodes.size(), 2U);
    EXPECT_EQ(block.data_nodes[1].ip, "10.0.0.2");
    EXPECT_EQ(block.data_nodes[1].name, "host-10.0.0.2");
    EXPECT_EQ(block.data_nodes[1].port, 9867);
    EXPECT_EQ(block.data_nodes[0].message, data_node("10.0.0.1", 9866).data());
    EXPECT_EQ(block.storage_types, (std::vector<std::uint64_t>{1, 4}));
    EXPECT_EQ(block.storage_ids, (std::vector<std::string>{"DS-1", "DS-2"}));
    EXPECT_EQ(block.identity().data(), identity.data());

    Message status;
    status.number(1, 2).bytes(2, "part-0").number(3, 77).number(11, 1 << 20).number(13, 16'390);
    const FileStatus file = parse_status(status.data(), "/a/b");
    EXPECT_EQ(file.path, "/a/b/part-0");
    EXPECT_FALSE(file.folder);
    EXPECT_EQ(file.length, 77U);
    EXPECT_EQ(file.id, 16'390U);
    EXPECT_EQ(parse_status(status.data(), "/").path, "/part-0");
    Message itself;
    itself.number(1, 1).bytes(2, "");
    EXPECT_EQ(parse_status(itself.data(), "/a/b").path, "/a/b");
    EXPECT_TRUE(parse_status(itself.data(), "/a/b").folder);
}

/// A server for one client: reads something, answers `answer`, closes.
class Server {
  public:
    explicit Server(std::string answer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
        EXPECT_EQ(::listen(socket_, 1), 0);
        EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this, text = std::move(answer)] {
            const int client = ::accept(socket_, nullptr, nullptr);
            char byte = 0;
            EXPECT_EQ(::recv(client, &byte, 1, 0), 1);
            EXPECT_EQ(::send(client, text.data(), text.size(), MSG_NOSIGNAL),
                      static_cast<ssize_t>(text.size()));
            ::shutdown(client, SHUT_WR);
            while (::recv(client, &byte, 1, 0) == 1) {
            }
            ::close(client);
        });
    }
    ~Server() {
        thread_.join();
        ::close(socket_);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    Address address() const { return {"127.0.0.1", port_}; }

  private:
    int socket_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

/// The message of the error that listing "/x" ends with.
std::string complaint(const Address& address) {
    try {
        NameNode name_node(address, "me");
        (void)name_node.list("/x");
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(NameNode, ErrorsNameItAndSayWhatIsWrong) {
    Address closed;
    {
        const Server server("");
        closed = server.address();
        EXPECT_EQ(complaint(server.address()),
                  "NameNode " + server.address().text() + ": closed the connection");
    }
    EXPECT_EQ(complaint(closed), "NameNode " + closed.text() + ": cannot connect: Connection refused");
    {
        const Server server("HTTP/1.1 400 Bad Request\r\n\r\n");
        EXPECT_EQ(complaint(server.address()),
                  "NameNode " + server.address().text() +
                      ": answers no Hadoop RPC; is this the port of fs.defaultFS?");
    }
    {
        Message head;
        head.number(1, 0)
            .number(2, 1)
            .bytes(4, "java.io.FileNotFoundException")
            .bytes(5, "File /x\n\tat x.y");
        std::string body;
        head.append_delimited(body);
        std::string answer;
        append_int32(answer, static_cast<std::uint32_t>(body.size()));
        const Server server(answer + body);
        EXPECT_EQ(complaint(server.address()),
                  "NameNode " + server.address().text() + ": getListing /x: FileNotFoundException: File /x");
    }
}

/// One packet of a block as a DataNode sends it.
std::string packet(std::uint64_t offset, const std::string& data, bool spoilt) {
    const auto fixed = [](std::uint64_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i) {
            text += static_cast<char>(value >> (8 * i));
        }
        return text;
    };
    const std::string head = "\x09" + fixed(offset, 8) + "\x11" + fixed(0, 8) +
                             std::string("\x18\x00\x25", 3) + fixed(data.size(), 4);
    std::string sums((data.size() + 511) / 512 * 4, '\0');
    write_checksums(ChecksumKind::crc32c, 512, data, sums.data());
    sums[0] = static_cast<char>(sums[0] ^ (spoilt ? 1 : 0));
    std::string all;
    append_int32(all, static_cast<std::uint32_t>(4 + sums.size() + data.size()));
    all += '\0';
    all += static_cast<char>(head.size());
    return all + head + sums + data;
}

std::string answer_to_read() {
    Message sums;
    sums.number(1, 2).number(2, 512);
    Message info;
    info.message(1, sums).number(2, 512);
    Message message;
    message.number(1, 0).message(4, info);
    std::string bytes;
    message.append_delimited(bytes);
    return bytes;
}

TEST(BlockReader, CutsWholeChunksToWhatWasAskedFor) {
    std::string data;
    for (int i = 0; i < 1500; ++i) {
        data += static_cast<char>('a' + i % 26);
    }
    const Server server(answer_to_read() + packet(512, data.substr(512), false));
    DataNode node;
    node.ip = "127.0.0.1";
    node.port = server.address().port;
    BlockReader reader(Block(), node, "me", 600, 500);
    EXPECT_EQ(reader.next(), data.substr(600, 500));
    EXPECT_EQ(reader.next(), "");
}

TEST(BlockReader, NoticesWrongChecksums) {
    const Server server(answer_to_read() + packet(0, std::string(1000, 'x'), true));
    DataNode node;
    node.ip = "127.0.0.1";
    node.port = server.address().port;
    BlockReader reader(Block(), node, "me", 0, 1000);
    EXPECT_THROW((void)reader.next(), Error);
}

TEST(BlockReader, SaysWhatTheDataNodeSays) {
    Message message;
    message.number(1, 1).bytes(5, "replica not found");
    std::string bytes;
    message.append_delimited(bytes);
    const Server server(bytes);
    DataNode node;
    node.ip = "127.0.0.1";
    node.port = server.address().port;
    Block block;
    block.id = 5;
    try {
        const BlockReader reader(block, node, "me", 0, 10);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.what(),
                  "DataNode " + server.address().text() + ": cannot read block 5: replica not found");
    }
}

/// What a DataNode says that has written two packets, and then closes its side.
std::string answer_to_write() {
    std::string bytes;
    Message set_up;
    set_up.number(1, 0).append_delimited(bytes);
    for (const std::int64_t sequence : {0, 1}) {
        Message acknowledgement;
        acknowledgement.zigzag(1, sequence).number(2, 0).append_delimited(bytes);
    }
    return bytes;
}

TEST(BlockWriter, TakesTheEndOfTheConnectionAfterTheLastAcknowledgementForNoFailure) {
    const Server server(answer_to_write());
    Block block;
    block.data_nodes.emplace_back();
    block.data_nodes[0].ip = "127.0.0.1";
    block.data_nodes[0].port = server.address().port;
    BlockWriter writer(block, "me", Defaults());
    writer.send("data");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // all that the server says is there
    EXPECT_NO_THROW(writer.finish());
    EXPECT_EQ(writer.written(), 4U);
}

}  // namespace
}  // namespace kvasir::hdfs
