#include <chrono>
#include <iostream>
#include <memory>
#include <unistd.h>
#include <vector>

#include "app/commands/command.hpp"
#include "app/doctor/examination.hpp"
#include "base/json.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"

namespace waybill::app {
namespace {

constexpr auto longest_check = std::chrono::seconds(20);

/// The findings so far. The thread of the examination writes, that of the command reads.
class Progress {
 public:
  void begin(const std::string& name) {
    const Lock lock(mutex_);
    name_ = name;
    begun_at_ = std::chrono::steady_clock::now();
  }
  void add(Finding finding) {
    const Lock lock(mutex_);
    findings_.push_back(std::move(finding));
    changed_.notify_all();
  }
  void finish() {
    const Lock lock(mutex_);
    is_finished_ = true;
    changed_.notify_all();
  }

  /// Calls `show` with each finding as soon as it is known. Returns false if a check hangs, after a finding
  /// about it.
  template <class Show>
  bool follow(Show show) {
    Lock lock(mutex_);
    for (std::size_t shown = 0;;) {
      while (shown < findings_.size()) show(findings_[shown++]);
      if (is_finished_) return true;
      const auto has_news = [&]() REQUIRES(mutex_) { return is_finished_ || shown < findings_.size(); };
      if (!changed_.wait_until(lock, begun_at_ + longest_check, has_news) &&
          std::chrono::steady_clock::now() >= begun_at_ + longest_check) {
        show(Finding{Level::failure, name_,
                     "it did not answer within " + std::to_string(longest_check.count()) + " s",
                     "see that its server is not stopped or overloaded"});
        return false;
      }
    }
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::vector<Finding> findings_ GUARDED_BY(mutex_);
  std::string name_ GUARDED_BY(mutex_);  // name of the check that runs
  std::chrono::steady_clock::time_point begun_at_ GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  bool is_finished_ GUARDED_BY(mutex_) = false;
};

json::object as_json(const Finding& finding) {
  return {{"level", text_of(finding.level)},
          {"name", finding.name},
          {"text", finding.text},
          {"remedy", finding.remedy.empty() ? json::value() : json::value(finding.remedy)}};
}

int run_doctor(const Config& config, bool as_document) {
  // Shared with the thread, which is abandoned if a server hangs.
  const auto progress = std::make_shared<Progress>();
  Thread thread(ThreadKind::doctor, [progress, config](const std::stop_token&) {
    examine(config, {.begin = [&](const std::string& name) { progress->begin(name); },
                     .add = [&](Finding finding) { progress->add(std::move(finding)); }});
    progress->finish();
  });
  Level worst = Level::ok;
  json::array document;
  const bool is_whole = progress->follow([&](const Finding& finding) {
    worst = std::max(worst, finding.level);
    if (as_document) {
      document.emplace_back(as_json(finding));
    } else {
      std::cout << finding.line() << std::endl;
    }
  });
  if (as_document) std::cout << to_json(document) << std::endl;
  const int status = worst == Level::failure ? 1 : 0;
  if (!is_whole) _exit(status);
  thread.join();
  return status;
}

}  // namespace

void add_doctor(const Command& program) {
  const Command doctor = program.add(
      "doctor",
      "Checks the database, the settings, the workers, the gateways of carriers and the mail server");
  const auto as_document = std::make_shared<bool>(false);
  doctor.flag("--json", *as_document, "Prints a JSON array of {level, name, text, remedy}");
  doctor.runs([as_document](const Config& config) { return run_doctor(config, *as_document); });
}

}  // namespace waybill::app
