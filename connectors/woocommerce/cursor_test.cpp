#include "connectors/woocommerce/cursor.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

using std::chrono::seconds;

const Time began = *parse_timestamp("2026-07-01T12:00:00Z");

/// The list of a store: ids and times of change.
struct Model {
  std::map<int, Time> records;
  bool counts = true;
  Time now = began;

  WooListing answer(const oauth1::Parameters& parameters) const {
    std::map<std::string, std::string> asked(parameters.begin(), parameters.end());
    std::vector<std::pair<Time, int>> chosen;
    for (const auto& [id, modified] : records) {
      const bool after =
          !asked.contains("modified_after") || modified > *parse_timestamp(asked["modified_after"] + "Z");
      const bool before =
          !asked.contains("modified_before") || modified < *parse_timestamp(asked["modified_before"] + "Z");
      if (after && before) chosen.emplace_back(modified, id);
    }
    std::ranges::sort(chosen);
    WooListing listing{.rows = {}, .total = {}, .pages = {}, .asked_at = now};
    const auto size = std::stoul(asked["per_page"]);
    const auto first = (std::stoul(asked["page"]) - 1) * size;
    for (auto i = first; i < std::min(chosen.size(), first + size); ++i) {
      listing.rows.push_back({std::to_string(chosen[i].second), chosen[i].first});
    }
    if (counts) {
      listing.total = chosen.size();
      listing.pages = (chosen.size() + size - 1) / size;
    }
    return listing;
  }
};

struct Swept {
  std::map<std::string, Time> records;  // with the last returned time of change
  std::size_t calls = 0;
  std::size_t repeated = 0;
  std::optional<Time> reached;
};

Swept sweep(Model& model, std::optional<Time> since = std::nullopt,
            const std::function<void(std::size_t)>& between = {}) {
  WooCursor cursor(since);
  Swept swept;
  while (!cursor.finished() && swept.calls < 500) {
    const auto listing = model.answer(cursor.parameters());
    const auto fresh = cursor.take(listing);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (!fresh[i]) ++swept.repeated;
      if (fresh[i]) swept.records.insert_or_assign(listing.rows[i].id, *listing.rows[i].modified);
    }
    EXPECT_TRUE(!swept.reached || cursor.reached() >= swept.reached) << "never goes back";
    swept.reached = cursor.reached();
    ++swept.calls;
    if (between) between(swept.calls);
  }
  EXPECT_LT(swept.calls, 500U) << "it ends";
  return swept;
}

TEST(WooCommerceCursor, AsksForWholeSecondsInUtcWithoutSuffixFromOneSecondEarlier) {
  const WooCursor cursor(parse_timestamp("2026-07-01T10:00:00.750Z"));
  const oauth1::Parameters expected = {{"dates_are_gmt", "true"}, {"order", "asc"},
                                       {"orderby", "modified"},   {"page", "1"},
                                       {"per_page", "100"},       {"modified_after", "2026-07-01T09:59:59"}};
  EXPECT_EQ(cursor.parameters(), expected);
  EXPECT_EQ(WooCursor(std::nullopt).parameters().size(), 5U) << "from the first one on";
}

TEST(WooCommerceCursor, AnIdleStoreIsAskedOnce) {
  Model model;
  model.records[7] = began - seconds(500);
  const auto swept = sweep(model, began - seconds(500));
  EXPECT_EQ(swept.calls, 1U);
  EXPECT_EQ(swept.records.size(), 1U);
  model.records.clear();
  EXPECT_EQ(sweep(model, began - seconds(500)).calls, 1U);
  EXPECT_EQ(sweep(model).reached, std::nullopt);
}

TEST(WooCommerceCursor, AlwaysAsksForTheFirstPageWhileTimeAdvances) {
  Model model;
  for (int id = 1; id <= 1000; ++id) model.records[id] = began - seconds(5000 - id);
  WooCursor cursor(std::nullopt);
  std::size_t given = 0;
  while (!cursor.finished()) {
    EXPECT_EQ(cursor.parameters()[3].second, "1");
    const auto fresh = cursor.take(model.answer(cursor.parameters()));
    given += static_cast<std::size_t>(std::ranges::count(fresh, true));
  }
  EXPECT_EQ(given, 1000U) << "each once";
  EXPECT_EQ(cursor.reached(), began - seconds(4000));
}

TEST(WooCommerceCursor, ReadsEachRecordOnceWhenItsPagesShrinkMeanwhile) {
  Model model;
  for (int id = 1; id <= 150; ++id) model.records[id] = began - seconds(5000);  // records of one second
  for (int id = 151; id <= 250; ++id) model.records[id] = began - seconds(4000 - id);
  WooCursor cursor(std::nullopt);
  std::size_t given = 0;
  std::size_t shrunk = 0;
  for (std::size_t calls = 1; !cursor.finished() && calls < 1000; ++calls) {
    if (calls % 3 == 0 && shrunk < 4 && cursor.shrink()) ++shrunk;
    const auto fresh = cursor.take(model.answer(cursor.parameters()));
    given += static_cast<std::size_t>(std::ranges::count(fresh, true));
  }
  EXPECT_TRUE(cursor.finished());
  EXPECT_EQ(given, 250U);
  EXPECT_EQ(shrunk, 4U);
  while (cursor.shrink()) {
  }
  EXPECT_EQ(cursor.size().value(), 1U);
}

TEST(WooCommerceCursor, ASecondWithMoreThanAPageIsReadByPages) {
  for (const int count : {99, 100, 101, 200, 250, 1000}) {
    for (const bool counts : {true, false}) {
      Model model{.counts = counts};
      for (int id = 1; id <= count; ++id) model.records[id] = began - seconds(100);
      model.records[5000] = began - seconds(200);
      model.records[5001] = began - seconds(50);
      const auto swept = sweep(model);
      EXPECT_EQ(swept.records.size(), static_cast<std::size_t>(count) + 2) << count;
      EXPECT_EQ(swept.reached, began - seconds(50));
    }
  }
}

TEST(WooCommerceCursor, OrdersThatChangeBetweenPagesHideNoOthers) {
  for (unsigned int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned int limit) { return static_cast<int>(random() % limit); };
    Model model{.counts = seed % 3 != 0};
    const int count = 150 + below(400);
    const unsigned int spread = seed % 2 == 0 ? 3 : 600;  // many in one second, or few
    for (int id = 1; id <= count; ++id) model.records[id] = began - seconds(1000 + below(spread));
    const auto swept = sweep(model, std::nullopt, [&](std::size_t calls) {
      model.now += seconds(2);
      if (calls > 60) return;
      for (int i = below(4); i > 0; --i)
        model.records[1 + below(static_cast<unsigned int>(count))] = model.now;
    });
    if (model.counts) {
      EXPECT_EQ(swept.records.size(), model.records.size()) << "seed " << seed;
    }
    // The next sweep returns the missing records, wherever this one stopped.
    auto all = swept.records;
    model.now += seconds(60);
    for (const auto& [id, modified] : sweep(model, swept.reached).records) all.insert_or_assign(id, modified);
    for (const auto& [id, modified] : model.records) {
      if (!model.counts && !all.contains(std::to_string(id))) continue;
      EXPECT_EQ(all[std::to_string(id)], modified) << "seed " << seed << ", order " << id;
    }
  }
}

TEST(WooCommerceCursor, ASweepOfAnEverChangingStoreEnds) {
  Model model;
  for (int id = 1; id <= 250; ++id) model.records[id] = began - seconds(1000 - id);
  const auto swept = sweep(model, std::nullopt, [&](std::size_t calls) {
    model.now += seconds(1);
    model.records[static_cast<int>(calls % 250) + 1] = model.now;
  });
  EXPECT_LE(swept.calls, 5U);
  EXPECT_LT(swept.reached, began);
}

// A page's records are selected first and read afterwards: one that changed in between has a later time than
// the one by which it was selected.
TEST(WooCommerceCursor, ATimeThatARowGotWhileItWasReadDoesNotCount) {
  Model model;
  for (int id = 1; id <= 250; ++id) model.records[id] = began - seconds(1000 - id);
  WooCursor cursor(std::nullopt);
  std::set<std::string> given;
  for (bool first = true; !cursor.finished(); first = false) {
    auto listing = model.answer(cursor.parameters());
    if (first) model.records[100] = *(listing.rows.back().modified = began + seconds(1));
    const auto fresh = cursor.take(listing);
    for (std::size_t i = 0; i < fresh.size(); ++i) given.insert(listing.rows[i].id);
    model.now += seconds(2);
  }
  EXPECT_EQ(given.size(), 250U);
}

TEST(WooCommerceCursor, PresentChangesAreNotYetReached) {
  Model model;
  model.records[1] = began - seconds(100);
  model.records[2] = began;
  const auto swept = sweep(model);
  EXPECT_EQ(swept.records.size(), 2U);
  EXPECT_EQ(swept.reached, began - seconds(100));
}

TEST(WooCommerceCursor, MoreThanAPageOfPresentChangesIsRead) {
  for (const int step : {0, 1}) {
    Model model;
    for (int id = 1; id <= 350; ++id) model.records[id] = began + seconds(step * id / 100);
    const auto swept = sweep(model);
    EXPECT_EQ(swept.records.size(), 350U);
    EXPECT_EQ(swept.reached, std::nullopt);
  }
}

TEST(WooCommerceCursor, APageShortenedByHiddenRecordsIsNotTheLast) {
  Model model;
  for (int id = 1; id <= 250; ++id) model.records[id] = began - seconds(1000 - id);
  WooCursor cursor(std::nullopt);
  std::set<std::string> given;
  for (std::size_t calls = 0; !cursor.finished() && calls < 50; ++calls) {
    auto listing = model.answer(cursor.parameters());
    std::erase_if(listing.rows, [](const auto& row) { return row.id.ends_with("3"); });
    for (const auto& row : listing.rows) given.insert(row.id);
    cursor.take(listing);
  }
  EXPECT_EQ(given.size(), 225U);
}

TEST(WooCursor, RowsWithoutIdEndASweepToo) {
  for (const bool has_time : {true, false}) {
    WooCursor cursor(std::nullopt);
    WooListing page{.rows = {}, .total = {}, .pages = {}, .asked_at = began};
    const auto time = has_time ? std::optional(began - seconds(60)) : std::nullopt;
    for (std::size_t i = 0; i + 1 < WooCursor::page_size; ++i)
      page.rows.push_back({std::to_string(i), began - seconds(60)});
    page.rows.push_back({"", time});
    std::size_t calls = 0;
    std::size_t without_id = 0;
    while (!cursor.finished() && calls < 50) {
      ++calls;
      const auto parameters = cursor.parameters();
      const std::map<std::string, std::string> asked(parameters.begin(), parameters.end());
      auto answer = page;
      const bool is_after = asked.contains("modified_after") &&
                            *parse_timestamp(asked.at("modified_after") + "Z") >= began - seconds(60);
      if (asked.at("page") != "1" || is_after) answer.rows.clear();
      const auto fresh = cursor.take(answer);
      if (!answer.rows.empty() && fresh.back()) ++without_id;
    }
    EXPECT_TRUE(cursor.finished());
    EXPECT_EQ(without_id, 1U) << "reported once";
  }
}

}  // namespace
}  // namespace waybill::connectors
