/// What the NameNode says of files, blocks and DataNodes, from its messages to our types.

#include "kvasir/hdfs/namenode.hpp"

namespace kvasir::hdfs {
namespace {

DataNode parse_data_node(std::string_view message) {
    DataNode node;
    node.message = message;
    for (Fields info(message); info.next();) {
        if (info.number() != 1) {
            continue;
        }
        for (Fields id(info.bytes()); id.next();) {
            switch (id.number()) {
                case 1:
                    node.ip = id.text();
                    break;
                case 2:
                    node.name = id.text();
                    break;
                case 4:
                    node.port = static_cast<std::uint16_t>(id.value());
                    break;
                default:
                    break;
            }
        }
    }
    return node;
}

}  // namespace

Message Block::identity() const {
    Message message;
    message.bytes(1, pool).number(2, id).number(3, generation).number(4, bytes);
    return message;
}

FileStatus parse_status(std::string_view message, const std::string& folder) {
    constexpr std::uint64_t is_folder = 1;
    FileStatus status;
    std::string name;
    for (Fields fields(message); fields.next();) {
        switch (fields.number()) {
            case 1:
                status.folder = fields.value() == is_folder;
                break;
            case 2:
                name = fields.text();
                break;
            case 3:
                status.length = fields.value();
                break;
            case 11:
                status.block_size = fields.value();
                break;
            case 13:
                status.id = fields.value();
                break;
            default:
                break;
        }
    }
    // The NameNode leaves the name out where it was asked for the file itself.
    status.path = name.empty() ? folder : folder + (folder == "/" ? "" : "/") + name;
    return status;
}

Block parse_block(std::string_view message) {
    Block block;
    for (Fields fields(message); fields.next();) {
        switch (fields.number()) {
            case 1:
                for (Fields id(fields.bytes()); id.next();) {
                    switch (id.number()) {
                        case 1:
                            block.pool = id.text();
                            break;
                        case 2:
                            block.id = id.value();
                            break;
                        case 3:
                            block.generation = id.value();
                            break;
                        case 4:
                            block.bytes = id.value();
                            break;
                        default:
                            break;
                    }
                }
                break;
            case 2:
                block.offset = fields.value();
                break;
            case 3:
                block.data_nodes.push_back(parse_data_node(fields.bytes()));
                break;
            case 5:
                block.token = fields.text();
                break;
            case 7:
                if (fields.bytes().empty()) {
                    block.storage_types.push_back(fields.value());
                } else {
                    for (std::string_view packed = fields.bytes(); !packed.empty();) {
                        block.storage_types.push_back(take_varint(packed));
                    }
                }
                break;
            case 8:
                block.storage_ids.push_back(fields.text());
                break;
            default:
                break;
        }
    }
    return block;
}

}  // namespace kvasir::hdfs
