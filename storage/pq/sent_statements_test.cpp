#include "storage/pq/sent_statements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::storage::pq {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Sent::Kind;

const SteadyTime sent_at = SteadyTime(std::chrono::hours(1));
int a, b, c;

Sent query(void* owner) { return {.kind = Kind::query, .owner = owner}; }

TEST(SentStatements, ReturnsMessagesInTheirOrder) {
  SentStatements sent;
  EXPECT_TRUE(sent.empty());
  sent.add({.kind = Kind::prepare, .owner = &a});
  sent.add(query(&a));
  sent.add_sync(sent_at);
  EXPECT_EQ(sent.take().kind, Kind::prepare);
  EXPECT_EQ(sent.take().kind, Kind::query);
  EXPECT_EQ(sent.take().kind, Kind::sync);
  EXPECT_TRUE(sent.empty());
}

TEST(SentStatements, OwnersAreThoseOfUnansweredQueries) {
  SentStatements sent;
  sent.add({.kind = Kind::prepare, .owner = &a});
  sent.add(query(&a));
  sent.add({.kind = Kind::deallocate});
  sent.add(query(&b));
  sent.add_sync(sent_at);
  sent.add(query(&c));
  EXPECT_THAT(sent.owners(), ElementsAre(&a, &b, &c));
  sent.take();
  sent.answer_first();
  EXPECT_THAT(sent.owners(), ElementsAre(&b, &c)) << "the refused PREPARE has answered the query";
  EXPECT_TRUE(sent.take().is_answered);
}

TEST(SentStatements, AMessagePutBackIsTheFirstAgain) {
  SentStatements sent;
  sent.add(query(&a));
  sent.add(query(&b));
  sent.put_back(sent.take());
  EXPECT_THAT(sent.owners(), ElementsAre(&a, &b));
}

TEST(SentStatements, EachResultButASyncsHasATerminator) {
  SentStatements sent;
  sent.add(query(&a));
  sent.add_sync(sent_at);
  EXPECT_FALSE(sent.take_terminator());
  sent.take();
  EXPECT_TRUE(sent.take_terminator());
  EXPECT_FALSE(sent.take_terminator());
  sent.take();
  EXPECT_FALSE(sent.take_terminator());
}

TEST(SentStatements, AwaitsTheSyncsOfAllUnits) {
  SentStatements sent;
  EXPECT_FALSE(sent.awaits_sync());
  sent.add_sync(sent_at);
  sent.add_sync(sent_at);
  sent.answered(Kind::query);
  sent.answered(Kind::sync);
  EXPECT_TRUE(sent.awaits_sync());
  sent.answered(Kind::sync);
  EXPECT_FALSE(sent.awaits_sync());
}

TEST(SentStatements, ProgressBeginsWithTheFirstUnansweredUnit) {
  SentStatements sent;
  sent.add_sync(sent_at);
  sent.add_sync(sent_at + milliseconds(1));
  EXPECT_EQ(sent.last_progress(), sent_at);
  EXPECT_EQ(sent.last_answer(), SteadyTime::min());
  sent.received(sent_at + milliseconds(2));
  EXPECT_EQ(sent.last_progress(), sent_at + milliseconds(2));
  EXPECT_EQ(sent.last_answer(), SteadyTime::min()) << "part of an answer may have arrived";
  sent.answered(Kind::sync);
  EXPECT_EQ(sent.last_answer(), sent_at + milliseconds(2));
}

TEST(SentStatements, TheTimeBehindOtherQueriesIsNotAQuerysOwn) {
  SentStatements sent;
  sent.add(query(&a));
  sent.add_sync(sent_at);
  sent.add(query(&b));
  sent.add_sync(sent_at + milliseconds(1));
  sent.add(query(&c));
  sent.received(sent_at + milliseconds(10));
  EXPECT_EQ(sent.own_time(sent.take()), milliseconds(10));
  sent.take();
  sent.received(sent_at + milliseconds(13));
  const Sent second = sent.take();
  EXPECT_EQ(second.at, sent_at + milliseconds(1)) << "a unit is sent with its sync";
  EXPECT_EQ(sent.own_time(second), milliseconds(3));
}

TEST(SentStatements, TheEndOfAConnectionDropsMessagesAndKeepsTimes) {
  SentStatements sent;
  sent.add(query(&a));
  sent.add_sync(sent_at);
  sent.take();
  sent.answered(Kind::query);
  sent.clear();
  EXPECT_TRUE(sent.empty());
  EXPECT_FALSE(sent.awaits_sync());
  EXPECT_FALSE(sent.take_terminator());
  EXPECT_THAT(sent.owners(), IsEmpty());
  EXPECT_EQ(sent.last_answer(), sent_at);
}

}  // namespace
}  // namespace waybill::storage::pq
