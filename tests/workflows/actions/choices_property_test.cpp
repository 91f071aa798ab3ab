// Random workflows with answers, nested choices and stops, compared with a reference.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr int flows = 30;
constexpr int orders_of_flow = 4;
constexpr std::size_t most_steps = 50;
constexpr int answers = 5;  // the webhook N answers N % answers
constexpr std::array<const char*, 3> all_notes{"a", "b", "c"};

/// A condition of a step: on the record, on an answer, or on the status of an earlier step.
struct When {
  std::string notes;   // the record has these
  std::string step;    // the name of an earlier step
  int least = 0;       // of its answer
  std::string status;  // empty: the answer counts

  json::object stored() const {
    if (step.empty()) return {{"notes", notes}};
    if (!status.empty()) return {{"steps." + step + ".status", status}};
    return {{"steps." + step + ".answer.v", {{"gte", least}}}};
  }
};

enum class Kind : std::uint8_t { ask, fail, set, stop, choose };

struct Step {
  Kind kind = Kind::ask;
  std::string name;  // of a webhook
  int answer = 0;
  std::string notes;  // that it sets
  std::optional<When> when;
  std::vector<std::string> shown;  // names of earlier webhooks, whose values its URL has
  std::vector<Step> then, otherwise;
};

/// The number of steps, with those inside choices.
std::size_t size_of(const std::vector<Step>& steps) {
  std::size_t size = steps.size();
  for (const Step& step : steps) size += size_of(step.then) + size_of(step.otherwise);
  return size;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  std::string any_notes() {
    return all_notes.at(static_cast<std::size_t>(below(static_cast<int>(all_notes.size()))));
  }

  /// Steps that may use the values of `known` ones, to which they are added.
  std::vector<Step> steps(int depth, std::vector<Step>& known) {
    std::vector<Step> list;
    for (int i = below(3) + (depth == 0 ? 2 : 1); i > 0; --i) list.push_back(step(depth, known));
    return list;
  }

 private:
  When when(const std::vector<Step>& known) {
    if (known.empty() || below(3) == 0) return {.notes = any_notes()};
    const Step& of = known.at(static_cast<std::size_t>(below(static_cast<int>(known.size()))));
    static constexpr std::array<const char*, 3> statuses{"succeeded", "skipped", "dead"};
    if (of.kind != Kind::ask || below(3) == 0)
      return {.step = of.name, .status = statuses.at(static_cast<std::size_t>(below(3)))};
    return {.step = of.name, .least = below(answers)};
  }

  Step step(int depth, std::vector<Step>& known) {
    Step made;
    const int choice = below(10);
    if (choice < 3 && depth < 4) {
      made.kind = Kind::choose;
      made.when = when(known);
      std::vector<Step> of_then = known, of_otherwise = known;
      made.then = steps(depth + 1, of_then);
      if (below(3) > 0) made.otherwise = steps(depth + 1, of_otherwise);
      of_otherwise.erase(of_otherwise.begin(),
                         of_otherwise.begin() + static_cast<std::ptrdiff_t>(known.size()));
      known = std::move(of_then);
      std::ranges::move(of_otherwise, std::back_inserter(known));
      return made;
    }
    if (below(3) == 0) made.when = when(known);
    if (choice == 3 && depth > 0) {
      made.kind = Kind::stop;
    } else if (choice < 6) {
      made.kind = Kind::set;
      made.notes = any_notes();
    } else {
      made.kind = choice == 9 ? Kind::fail : Kind::ask;
      made.name = (made.kind == Kind::fail ? "f" : "a") + std::to_string(names_);
      made.answer = names_++ % answers;
      for (int i = known.empty() ? 0 : below(4); i > 0; --i)
        made.shown.push_back(known.at(static_cast<std::size_t>(below(static_cast<int>(known.size())))).name);
      known.push_back(made);
    }
    return made;
  }

  std::mt19937_64 random_;
  int names_ = 0;
};

/// Performs steps as the documentation says.
class Reference {
 public:
  explicit Reference(std::string notes) : notes_(std::move(notes)) {}

  void run(const std::vector<Step>& steps) { perform(steps); }

  std::vector<std::string> results;   // "NUMBER TYPE STATUS CODE"
  std::vector<std::string> requests;  // "NAME&STATUS.ANSWER… NOTES"

 private:
  static std::string type(const Step& step) {
    switch (step.kind) {
      case Kind::choose:
        return "choose";
      case Kind::set:
        return "update_record";
      case Kind::stop:
        return "stop";
      default:
        return "webhook";
    }
  }

  void note(const Step& step, const std::string& status) {
    results.push_back(std::to_string(++number_) + ' ' + type(step) + ' ' + status);
    if (!step.name.empty()) statuses_[step.name] = status.substr(0, status.find(' '));
  }

  bool holds(const When& when) const {
    if (when.step.empty()) return notes_ == when.notes;
    const auto status = statuses_.find(when.step);
    if (!when.status.empty()) return status != statuses_.end() && status->second == when.status;
    const auto answer = answers_.find(when.step);
    return answer != answers_.end() && answer->second >= when.least;
  }

  void pass(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      note(step, "skipped NOT_CHOSEN");
      pass(step.then);
      pass(step.otherwise);
    }
  }

  /// Returns false if the run ends. Steps after a stop are in no result, apart from those of ways not taken.
  bool perform(const std::vector<Step>& steps) {
    bool goes_on = true;
    for (const Step& step : steps) {
      if (!goes_on) {
        count(step);
      } else if (step.kind == Kind::choose) {
        const bool taken = holds(*step.when);
        note(step, "succeeded");
        if (!taken) pass(step.then);
        goes_on = perform(taken ? step.then : step.otherwise);
        if (taken) pass(step.otherwise);
      } else if (step.when && !holds(*step.when)) {
        note(step, "skipped CONDITION");
      } else {
        goes_on = do_one(step);
      }
    }
    return goes_on;
  }

  void count(const Step& step) {
    ++number_;
    for (const auto* const way : {&step.then, &step.otherwise})
      for (const Step& inner : *way) count(inner);
  }

  bool do_one(const Step& step) {
    if (!step.name.empty()) requests.push_back(step.name + shown(step) + ' ' + notes_);
    if (step.kind == Kind::ask) answers_[step.name] = step.answer;
    if (step.kind == Kind::set) notes_ = step.notes;
    note(step, step.kind == Kind::fail ? "dead" : "succeeded");
    return step.kind != Kind::stop;
  }

  /// The values that the URL of a webhook has: nothing for an answer that there is not.
  std::string shown(const Step& step) const {
    std::string text;
    for (const std::string& name : step.shown) {
      const auto answer = answers_.find(name);
      text += '&' + status_of(name) + '.' +
              (answer == answers_.end() ? std::string() : std::to_string(answer->second));
    }
    return text;
  }

  std::string status_of(const std::string& name) const {
    const auto found = statuses_.find(name);
    return found == statuses_.end() ? "" : found->second;
  }

  std::string notes_;
  int number_ = 0;
  std::map<std::string, std::string> statuses_;
  std::map<std::string, int> answers_;
};

/// Answers webhooks by their names, and keeps the query and the notes of each by the order.
class Answering {
 public:
  Answering() {
    server_.on_request([this](const Received& request) {
      const std::string name = request.target.substr(request.target.find('?') + 1);
      const json::value body = request.json_body();
      {
        const std::lock_guard lock(mutex_);
        std::vector<std::string>& requests = requests_[text_at(body, "data.entity.guid")];
        std::string shown = name + ' ' + text_at(body, "data.entity.notes");
        const bool is_retry = name.front() == 'f' && !requests.empty() && requests.back() == shown;
        if (!is_retry) requests.push_back(std::move(shown));
      }
      if (name.front() == 'f') return Reply::with_status(400);
      return Reply::with_status(200, {},
                                R"({"v": )" + std::to_string(std::stoi(name.substr(1)) % answers) + "}");
    });
  }
  std::string url() const { return server_.url("/hook"); }
  std::vector<std::string> requests(const std::string& order) const {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(order);
    return found == requests_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  Receiver server_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> requests_;
};

class ChoicesProperty : public StepsTest {
 protected:
  json::array stored(const std::vector<Step>& steps) {
    json::array list;
    for (const Step& step : steps) {
      json::object one;
      switch (step.kind) {
        case Kind::choose:
          one = {{"type", "choose"}, {"then", stored(step.then)}, {"otherwise", stored(step.otherwise)}};
          break;
        case Kind::set:
          one = {{"type", "update_record"}, {"set", {{"notes", step.notes}}}};
          break;
        case Kind::stop:
          one = {{"type", "stop"}};
          break;
        case Kind::ask:
          one = ask(step, {{"answer", {{"v", "number"}}}});
          break;
        case Kind::fail:
          one = ask(step, {{"onFailure", "continue"}});
          break;
      }
      if (step.when) one["when"] = step.when->stored();
      list.push_back(std::move(one));
    }
    return list;
  }

  json::object ask(const Step& step, const json::object& more) const {
    std::string query = step.name;
    for (const std::string& name : step.shown) {
      query += "&{{steps." + name + ".status}}.";
      if (name.front() == 'a') query += "{{steps." + name + ".answer.v}}";
    }
    json::object one{{"type", "webhook"}, {"name", step.name}, {"recipient", answering.url() + "?" + query}};
    for (const auto& [key, value] : more) one[key] = value;
    return one;
  }

  Answering answering;
};

TEST_F(ChoicesProperty, RunsTakeTheWaysThatAReferenceTakes) {
  const std::uint64_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  Generator random(seed);
  struct Made {
    std::string order, notes;
    std::size_t flow;
  };
  std::vector<std::vector<Step>> programs;
  std::vector<Step> program;
  std::vector<std::string> guids;
  std::vector<Made> made;
  for (std::size_t flow = 0; flow < flows; ++flow) {
    do {
      std::vector<Step> known;
      program = random.steps(0, known);
    } while (size_of(program) > most_steps);
    programs.push_back(program);
    const std::string own = "F" + std::to_string(flow);
    json::object more{{"conditions", {{"externalReference", own}}}};
    if (random.below(3) == 0) more["ordered"] = true;
    guids.push_back(workflow(stored(programs.back()), more));
  }
  for (int i = 0; i < orders_of_flow; ++i) {
    for (std::size_t flow = 0; flow < flows; ++flow) {
      const std::string first = random.any_notes();
      made.push_back({tenant.insert_order({{"notes", "'" + first + "'"},
                                           {"external_reference", "'F" + std::to_string(flow) + "'"}}),
                      first, flow});
    }
  }
  tenant.settle();
  ASSERT_TRUE(eventually(
      [&] {
        return tenant.sql.number("select count(*) from run_queue where business_id = $1", {tenant.id}) == 0;
      },
      std::chrono::seconds(60)));
  for (const Made& each : made) {
    Reference reference(each.notes);
    reference.run(programs[each.flow]);
    const json::object run =
        tenant.run(tenant.sql.value("select guid from all_runs where workflow_id = $1 and entity_id = $2",
                                    {guids[each.flow], each.order}));
    std::vector<std::string> steps = steps_of(run);
    for (std::string& step : steps) {
      if (const auto dead = step.find(" dead "); dead != std::string::npos) step.resize(dead + 5);
    }
    const std::string where = to_json(stored(programs[each.flow])) + " with notes " + each.notes;
    EXPECT_EQ(steps, reference.results) << where;
    EXPECT_EQ(answering.requests(each.order), reference.requests) << where;
  }
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

}  // namespace
}  // namespace waybill::tests
