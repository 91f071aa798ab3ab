#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

#include "base/observe.hpp"
#include "tests/simulate/simulation.hpp"

namespace {

using waybill::simulate::first_failing;
using waybill::simulate::holds;
using waybill::simulate::make_plan;
using waybill::simulate::Plan;

/// Simulates seeds one after the other. Prints the shortest history of the first one that fails.
int simulate_seeds(std::uint64_t first, std::uint64_t count, bool prints) {
  constexpr std::uint64_t together = 50;
  for (std::uint64_t done = 0; done < count; done += together) {
    const auto seed = first_failing(first + done, std::min(together, count - done));
    if (!seed) continue;
    const Plan plan = waybill::simulate::shrink(make_plan(*seed));
    std::fputs(text_of(plan, waybill::simulate::simulate(plan)).c_str(), stdout);
    std::printf("seed %llu fails, after %llu seeds\n", static_cast<unsigned long long>(*seed),
                static_cast<unsigned long long>(*seed - first + 1));
    return 1;
  }
  if (prints)
    std::fputs(text_of(make_plan(first), waybill::simulate::simulate(make_plan(first))).c_str(), stdout);
  std::printf("%llu seeds hold\n", static_cast<unsigned long long>(count));
  return 0;
}

/// Counts the seeds that fail, each in a process of its own.
int count_failing(std::uint64_t first, std::uint64_t count) {
  std::uint64_t failing = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (holds(make_plan(seed))) continue;
    if (failing++ == 0) std::printf("seed %llu fails first\n", static_cast<unsigned long long>(seed));
  }
  std::printf("%llu of %llu seeds fail\n", static_cast<unsigned long long>(failing),
              static_cast<unsigned long long>(count));
  return failing == 0 ? 0 : 1;
}

}  // namespace

/// simulate_tests --seed SEED [COUNT]: simulates COUNT seeds, 1 at first, and prints the history if it is
/// one. simulate_tests --failing SEED COUNT: counts the failing ones of COUNT seeds. Otherwise it is a
/// GoogleTest program.
int main(int argc, char** argv) {
  const char* const level = std::getenv("SIMULATE_LOG");
  waybill::configure_logging(waybill::LogFormat::text,
                             waybill::parse_log_level(level == nullptr ? "error" : level).value());
  if (argc > 2 && std::string_view(argv[1]) == "--seed") {
    const std::uint64_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    return simulate_seeds(std::strtoull(argv[2], nullptr, 10), count, argc <= 3);
  }
  if (argc > 3 && std::string_view(argv[1]) == "--failing")
    return count_failing(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
