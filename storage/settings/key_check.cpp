#include "storage/settings/key_check.hpp"

#include "base/crypto.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/catalog.sql.hpp"
#include "storage/sql/doctor.sql.hpp"
#include "storage/sql/processes.sql.hpp"

namespace waybill::storage {
namespace {

constexpr std::string_view check_purpose = "key-check";

}  // namespace

std::optional<std::size_t> key_of_check_value(const SecretBox& secrets, const Bytes& sealed) {
  try {
    return secrets.open_with_key(sealed, check_purpose).key;
  } catch (const SecretError&) {
    return std::nullopt;
  }
}

bool has_secret_key(blocking::Connection& session) { return !session.run(sql::doctor::KeyCheck{}).empty(); }

std::size_t check_secret_keys(blocking::Connection& session, const SecretBox& secrets) {
  const auto kept = session.run(sql::catalog::KeyCheck{.sealed = secrets.seal(check_purpose, check_purpose)});
  const auto key = key_of_check_value(secrets, kept.front().sealed);
  if (!key) {
    throw SecretError(
        "the secret key is not the one this database was set up with: name its file with --secret-key-file");
  }
  const auto ids = secrets.key_ids();
  const auto state =
      session.run(sql::processes::KeyState{.process = Guid(), .key_ids = ids, .first_key = ids.front()});
  if (state.front().missing > 0) {
    throw SecretError(
        "values in the database are sealed with a further secret key: name its file with another "
        "--secret-key-file, or complete `waybill key rotate`");
  }
  const Bytes feed_key = random_bytes(SecretBox::Key().size());
  session.run(sql::catalog::KeepFeedKey{
      .sealed = secrets.seal(std::string(feed_key.begin(), feed_key.end()), feed_key_purpose)});
  return *key;
}

void retire_other_keys(blocking::Connection& session, const SecretBox& secrets) {
  session.run(sql::processes::RetireKeys{.key = secrets.key_ids().at(secrets.sealing_key()),
                                         .check_value = secrets.seal(check_purpose, check_purpose)});
}

}  // namespace waybill::storage
