#pragma once

#include <cstddef>
#include <optional>

#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::storage {

/// Returns the position of the key with which the database was set up, or to which it was rotated. The first
/// process that uses a database sets it up with its own key. Throws SecretError if a value of the database
/// may be sealed with a key that `secrets` lacks: a process with too few keys would treat workflows whose
/// secrets it cannot open as deleted. Also throws DatabaseUnavailable or StatementError.
std::size_t check_secret_keys(blocking::Connection& session, const SecretBox& secrets);

/// True if the database was set up with a key.
bool has_secret_key(blocking::Connection& session);

/// Returns the position of the key that opens the database's check value; nullopt if none does.
std::optional<std::size_t> key_of_check_value(const SecretBox& secrets, const Bytes& sealed);

/// Makes the sealing key of `secrets` the database's only key. Call it when no value is sealed with another.
void retire_other_keys(blocking::Connection& session, const SecretBox& secrets);

}  // namespace waybill::storage
