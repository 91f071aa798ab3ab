#pragma once

#include <memory>
#include <string_view>

#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// Names the e-mail addresses of mails in `mail_addresses` by a keyed hash, so that the table shows no
/// address to a reader of the database or of a backup. The case of letters does not matter. Any thread.
class AddressHash {
 public:
  /// `secret` is the key of the installation (`feed_key`), from which the key of the hash is derived.
  explicit AddressHash(std::string_view secret);

  /// The name of an address in a business; another business has another name for it.
  Guid of(const Guid& business, std::string_view address) const;

 private:
  Bytes key_;
};

/// Reads the key of the installation, which every process makes at its start if there is none, and which
/// stays the same when the secret key is replaced. Null without a key that `secrets` opens: addresses then
/// find no mails, and mails that are sent are not found later. Throws DatabaseUnavailable or StatementError.
std::shared_ptr<const AddressHash> read_address_hash(Session& session, const SecretBox& secrets);

}  // namespace waybill::storage
