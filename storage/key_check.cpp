#include "storage/key_check.hpp"

#include "storage/blocking/connection.hpp"
#include "storage/sql/catalog.sql.hpp"

namespace waybill::storage {

void check_secret_key(const std::string& database_url, const SecretBox& secrets) {
  constexpr std::string_view purpose = "key-check";
  blocking::Connection session(database_url, "waybill start");
  const auto kept = session.run(sql::catalog::KeyCheck{.sealed = secrets.seal(purpose, purpose)});
  try {
    secrets.open(kept.front().sealed, purpose);
  } catch (const SecretError&) {
    throw SecretError("the secret key is not the one this database was set up with");
  }
}

}  // namespace waybill::storage
