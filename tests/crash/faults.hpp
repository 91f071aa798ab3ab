#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <sys/types.h>

#include "tests/harness/process.hpp"

namespace waybill::tests {

/// The time after which what does not recover is taken to have failed.
inline constexpr Deadline recovery_limit = std::chrono::seconds(120);

/// A number from an environment variable, which makes a test longer or repeats it.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::stoull(given);
}

/// Returns and prints the seed of a test: that of WAYBILL_CRASH_SEED, which repeats a choice of faults, or a
/// random one.
inline std::uint64_t crash_seed() {
  const std::uint64_t seed = from_environment("WAYBILL_CRASH_SEED", std::random_device{}());
  std::cout << "WAYBILL_CRASH_SEED=" << seed << "\n";
  return seed;
}

/// The PostgreSQL of `waybill up` on a data directory; nullopt if none is known to run.
inline std::optional<pid_t> postmaster(const std::filesystem::path& data_dir) {
  std::ifstream file(data_dir / "postgres/postmaster.pid");
  pid_t pid = 0;
  if (!(file >> pid) || pid <= 1) return std::nullopt;
  return pid;
}

/// Sends a signal to the PostgreSQL of `waybill up` on a data directory; false if none is known to run.
inline bool signal_postgres(const std::filesystem::path& data_dir, int signal) {
  const auto pid = postmaster(data_dir);
  return pid && ::kill(*pid, signal) == 0;
}

}  // namespace waybill::tests
