#pragma once

#include <functional>
#include <string>

#include "api/analysis.hpp"
#include "api/background.hpp"
#include "base/clock.hpp"
#include "base/secret_box.hpp"
#include "net/destination.hpp"
#include "storage/database.hpp"

namespace waybill::api {

class Maps;

/// What handlers work with: one set for each io thread, used on that thread alone. Everything referred to
/// outlives the server.
struct Services {
  storage::Database& db;
  const Clock& clock;
  const SecretBox& secrets;
  const net::DestinationPolicy& destinations;
  Analysis& analysis;           // for what reads much of the history
  Background& background;       // for what would hold up the io thread
  std::string public_url = {};  // without a trailing slash; for links that leave the service

  Maps* maps = nullptr;  // never null but in tests that ask for no places

  /// Tells the worker that events may be waiting; cheap, from any thread. The dispatcher calls it after each
  /// request that may have changed something, handlers need not.
  std::function<void()> wake_worker = [] {};
};

}  // namespace waybill::api
