#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/secret_box.hpp"

namespace waybill::app {

/// The rotation cannot begin or did not finish. The message says why, and what to do. What was sealed again
/// stays so.
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
  bool is_complete = false;  // no value is left that another key than the first has sealed
};

/// Seals all values of the database with the first key of `secrets`, while processes run, and then takes the
/// other keys out of use: processes start without them. Each value is one transaction, which fails to change
/// a value that somebody else has changed, so that it can be killed and repeated at any time. Waits up to
/// `limit` for the running processes to have the first key and to encrypt with it; a process that has it
/// begins to within seconds. Throws RotationError, SecretError, DatabaseUnavailable or StatementError.
Rotation rotate_keys(const std::string& database_url, SecretBox& secrets, std::chrono::seconds limit);

}  // namespace waybill::app
