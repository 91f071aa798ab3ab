#pragma once

#include <stop_token>
#include <string>

#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"

namespace waybill::app {

/// Looks every minute whether several hosts of the URL are primaries, and reports them, on its own thread and
/// with a connection to each host while it looks.
class PrimaryCheck final : public Service {
 public:
  explicit PrimaryCheck(std::string database_url);
  ~PrimaryCheck() override { stop_at_once(); }

  void start() override { loop_.start(); }
  /// Ends the present look.
  void stop(Moment until) override;

 private:
  void look();

  const std::string database_url_;
  std::stop_source looking_;
  Loop loop_;
};

}  // namespace waybill::app
