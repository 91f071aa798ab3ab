#pragma once

#include <functional>
#include <string>

#include "app/config/config.hpp"
#include "app/doctor/findings.hpp"

namespace waybill::app {

/// Receives what the examination does: the check that begins, then its finding.
struct Examiner {
  std::function<void(const std::string& name)> begin;
  std::function<void(Finding)> add;
};

/// Runs all checks, one after the other, but skips those of the database once it cannot be used. Each check
/// catches its own errors. Changes nothing. May hang with the database or the mail server: run it on a thread
/// that can be abandoned.
void examine(const Config& config, const Examiner& examiner);

}  // namespace waybill::app
