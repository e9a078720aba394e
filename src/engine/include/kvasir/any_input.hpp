#pragma once
// An input whose kind is chosen while the program runs.

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "kvasir/clock.hpp"
#include "kvasir/mpi.hpp"
#include "kvasir/options.hpp"
#include "kvasir/padded_view.hpp"
#include "kvasir/stats.hpp"

namespace kvasir {

/// Any input of byte strings. A call through a pointer for each of them makes it slower than the input itself
/// (by about 2 ns each); a program that uses it is compiled for one kind of input instead of all.
class AnyInput {
    using Sink = std::function<void(PaddedView)>;

    struct ReaderBase {
        virtual ~ReaderBase() = default;
        virtual bool next(PhaseClock& clock, Counters& counters, const Sink& sink) = 0;
    };
    template <class Reader>
    struct ReaderOf : ReaderBase {
        template <class Input>
        ReaderOf(const Input& input, const Communicator& comm, const Options& options)
            : reader(input.open(comm, options)) {}
        bool next(PhaseClock& clock, Counters& counters, const Sink& sink) override {
            return reader.next(clock, counters, sink);
        }
        Reader reader;
    };

  public:
    template <class Input>
    requires(!std::is_same_v<Input, AnyInput>) explicit AnyInput(Input input)
        : open_([input = std::move(input)](const Communicator& comm, const Options& options) {
              using Reader = decltype(input.open(comm, options));
              return std::unique_ptr<ReaderBase>(std::make_unique<ReaderOf<Reader>>(input, comm, options));
          }) {}

    class Reader {
      public:
        explicit Reader(std::unique_ptr<ReaderBase> reader) : reader_(std::move(reader)) {}

        template <class Next>
        bool next(PhaseClock& clock, Counters& counters, Next&& sink) {
            return reader_->next(clock, counters, [&sink](PaddedView record) { sink(record); });
        }

      private:
        std::unique_ptr<ReaderBase> reader_;
    };

    Reader open(const Communicator& comm, const Options& options) const {
        return Reader(open_(comm, options));
    }

  private:
    std::function<std::unique_ptr<ReaderBase>(const Communicator&, const Options&)> open_;
};

}  // namespace kvasir
