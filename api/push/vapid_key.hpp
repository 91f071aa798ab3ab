#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "api/route/services.hpp"
#include "base/guid.hpp"

namespace waybill::api {

/// A new key pair of a business, as its row keeps it.
struct SealedVapidKey {
  std::string public_key;
  std::string private_key;  // sealed for "vapid-key:BUSINESS", as PostgreSQL reads a bytea

  static SealedVapidKey make(const SecretBox& secrets, const Guid& business);
};

/// The public key of a business. One that came from a command or plain SQL, neither of which may have the key
/// that seals secrets, gets its pair now.
asio::awaitable<std::string> vapid_public_key(Services& services, const Guid& business);

}  // namespace waybill::api
