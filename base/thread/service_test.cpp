#include "base/thread/service.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill {
namespace {

/// Notes its calls in a log, which outlives it.
class Noted final : public Service {
 public:
  Noted(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
  void start() override { log_ += name_ + "+ "; }
  void stop_accepting() override { log_ += name_ + "a "; }
  void drain(Moment) override { log_ += name_ + "d "; }
  void stop(Moment) override { log_ += name_ + "- "; }

 private:
  const std::string name_;
  std::string& log_;
};

TEST(ServiceList, StartsInOrderAndStopsInReversePhaseByPhase) {
  std::string log;
  Noted first("1", log);
  Noted second("2", log);
  ServiceList list({&first, &second});
  list.start();
  EXPECT_EQ(log, "1+ 2+ ");
  log.clear();
  list.stop({});
  EXPECT_EQ(log, "2a 1a 2d 1d 2- 1- ");
}

}  // namespace
}  // namespace waybill
