#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/cluster/fixture.hpp"
#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct CpuTimes {
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;  // with the time in which a disk is waited for
};

/// Ticks of all cores since the start (proc(5), /proc/stat).
CpuTimes cpu_times() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupt = 0, soft = 0;
  file >> name >> user >> nice >> system >> idle >> wait >> interrupt >> soft;
  return {user + nice + system + interrupt + soft, idle + wait};
}

/// Rate and delay of a load of 32 clients that never pause.
class Scale : public LoadedCluster {
 protected:
  void measure(std::size_t workers, std::size_t apis) {
    start_writers(Deadline::zero());
    let_load_run(3s);
    const auto from = steady_clock::now();
    const CpuTimes before = cpu_times();
    let_load_run(seconds);
    const CpuTimes after = cpu_times();
    const auto until = steady_clock::now();
    writers->stop();
    Session database(postgres->url());
    ASSERT_TRUE(eventually([&] { return database.number("select count(*) from pending_events") == 0; }, 60s));
    Sample delays;
    delays.add(ledger.delays(from, until));
    const double busy = static_cast<double>(after.busy - before.busy) /
                        static_cast<double>(after.busy - before.busy + after.idle - before.idle);
    std::cout << workers << " workers, " << apis << " APIs: " << static_cast<int>(rate(from, until))
              << " changes/s, webhook " << delays.text() << ", CPU " << static_cast<int>(100 * busy)
              << " % of " << sysconf(_SC_NPROCESSORS_ONLN) << " cores\n";
  }

  const std::chrono::seconds seconds{from_environment("WAYBILL_CLUSTER_SECONDS", 15)};
};

TEST_F(Scale, PrintsRateAndDelayByTheNumberOfWorkersAndApis) {
  start_cluster();
  for (std::size_t i = 1; i < Service::apis; ++i) service->stop_api(i);
  for (std::size_t i = 1; i < Service::workers; ++i) service->stop_worker(i);
  for (const std::size_t apis : {1UL, Service::apis}) {
    if (apis > 1) {
      for (std::size_t i = 1; i < apis; ++i) service->start_api(i);
      for (std::size_t i = 1; i < Service::workers; ++i) service->stop_worker(i);
    }
    measure(1, apis);
    service->start_worker(1);
    measure(2, apis);
    service->start_worker(2);
    service->start_worker(3);
    measure(4, apis);
  }
  Session database = finish_load();
  check_everything(database);
}

}  // namespace
}  // namespace waybill::tests
