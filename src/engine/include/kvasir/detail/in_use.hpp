#pragma once
// Mark on memory that must stay where it is for a while.

namespace kvasir::detail {

/// Says by a flag, as long as it lives, that something is in use.
class InUse {
  public:
    explicit InUse(bool& flag) : flag_(flag), before_(flag) { flag_ = true; }
    ~InUse() { flag_ = before_; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

  private:
    bool& flag_;
    bool before_;
};

}  // namespace kvasir::detail
