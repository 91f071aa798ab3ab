#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/secret_box.hpp"

namespace waybill::app {

/// The rotation cannot begin or did not finish. The message has the reason and the remedy. Values that
/// were sealed again stay sealed with the new key.
class RotationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RotatedTable {
  std::string name;
  std::int64_t resealed = 0;
  std::int64_t unreadable = 0;  // values that no key opens; they stay as they are
};

struct Rotation {
  std::vector<RotatedTable> tables;
  bool is_complete = false;  // true if every value is sealed with the first key
};

/// Seals all values of the database with the first key of `secrets`, while processes run, and then takes the
/// other keys out of use, so that processes can start without them. Each value is sealed in its own
/// transaction, which does not touch a value that has changed since it was read; so the rotation can be
/// killed and repeated at any time. Waits up to `limit` until all running processes have the first key and
/// encrypt with it; a process that has the key begins to do so within seconds. Throws RotationError,
/// SecretError, DatabaseUnavailable or StatementError.
Rotation rotate_keys(const std::string& database_url, SecretBox& secrets, std::chrono::seconds limit);

}  // namespace waybill::app
