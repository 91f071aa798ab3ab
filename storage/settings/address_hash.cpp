#include "storage/settings/address_hash.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/history.sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::string_view purpose = "addresses of mails";

}  // namespace

AddressHash::AddressHash(std::string_view secret) {
  const auto key = hmac_sha256(Bytes(secret.begin(), secret.end()), purpose);
  key_.assign(key.begin(), key.end());
}

Guid AddressHash::of(const Guid& business, std::string_view address) const {
  const auto hash = hmac_sha256(key_, business.to_string() + '/' + lower_utf8(address));
  Guid name;
  std::copy_n(hash.begin(), name.bytes.size(), name.bytes.begin());
  return name;
}

std::shared_ptr<const AddressHash> read_address_hash(Session& session, const SecretBox& secrets) {
  const auto rows = session.run(sql::history::FeedKey{});
  const auto row = rows.find();
  if (!row) return nullptr;
  try {
    return std::make_shared<const AddressHash>(secrets.open(row->sealed, feed_key_purpose));
  } catch (const SecretError&) {
    return nullptr;
  }
}

}  // namespace waybill::storage
