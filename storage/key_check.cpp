#include "storage/key_check.hpp"

#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::storage {

void check_secret_key(const std::string& database_url, const SecretBox& secrets) {
  constexpr std::string_view purpose = "key-check";
  blocking::Connection session(database_url, "waybill start");
  const pqxx::result kept = session.run(sql::catalog::key_check, "\\x" + hex(secrets.seal(purpose, purpose)));
  try {
    secrets.open(unhex(kept.at(0)["sealed"].as<std::string>()).value(), purpose);
  } catch (const SecretError&) {
    throw SecretError("the secret key is not the one this database was set up with");
  }
}

}  // namespace waybill::storage
