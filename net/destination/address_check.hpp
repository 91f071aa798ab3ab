#pragma once

#include <netinet/in.h>

namespace waybill::net {

/// Decides to which addresses of a host one request may connect: only to public ones if the request is
/// guarded. A host may resolve to several addresses, of which some are allowed. Pure. One thread.
class AddressCheck {
 public:
  AddressCheck() = default;
  explicit AddressCheck(bool is_guarded) : is_guarded_(is_guarded) {}

  bool is_guarded() const { return is_guarded_; }

  /// Returns false if no connection to this address and port may be opened.
  bool allows(const sockaddr& address);

  bool has_refused() const { return has_refused_; }
  /// True if addresses were refused and none was allowed.
  bool has_refused_all() const { return has_refused_ && !has_allowed_; }

 private:
  bool is_guarded_ = true;
  bool has_refused_ = false;
  bool has_allowed_ = false;
};

}  // namespace waybill::net
