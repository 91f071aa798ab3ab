#include "net/http/request_inbox.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

bool add(RequestInbox& inbox, const std::string& url) {
  HttpRequest request;
  request.url = url;
  return inbox.add(std::move(request), [](const HttpResponse&) {});
}

std::vector<std::string> urls(RequestInbox& inbox) {
  std::vector<RequestInbox::Incoming> taken;
  EXPECT_TRUE(inbox.take(taken));
  std::vector<std::string> urls;
  urls.reserve(taken.size());
  for (const auto& [request, done] : taken) urls.push_back(request.url);
  return urls;
}

TEST(RequestInbox, RequestsAreTakenOnceAndInTheirOrder) {
  RequestInbox inbox;
  EXPECT_FALSE(add(inbox, "a"));
  EXPECT_FALSE(add(inbox, "b"));
  EXPECT_EQ(urls(inbox), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(urls(inbox).empty());
}

TEST(RequestInbox, OnlyTheFirstRequestWakesASleepingThread) {
  RequestInbox inbox;
  EXPECT_TRUE(inbox.fall_asleep());
  EXPECT_TRUE(add(inbox, "a"));
  EXPECT_FALSE(add(inbox, "b"));
  EXPECT_EQ(urls(inbox).size(), 2U);
  EXPECT_FALSE(add(inbox, "c")) << "the thread is awake";
}

TEST(RequestInbox, AThreadWithWorkDoesNotSleep) {
  RequestInbox inbox;
  EXPECT_FALSE(add(inbox, "a"));
  EXPECT_FALSE(inbox.fall_asleep());
  EXPECT_EQ(urls(inbox).size(), 1U);
  EXPECT_TRUE(inbox.fall_asleep());
}

TEST(RequestInbox, AStoppedInboxStillHandsOutRequests) {
  RequestInbox inbox;
  inbox.stop();
  EXPECT_FALSE(inbox.fall_asleep());
  add(inbox, "a");
  std::vector<RequestInbox::Incoming> taken;
  EXPECT_FALSE(inbox.take(taken));
  EXPECT_EQ(taken.size(), 1U);
}

}  // namespace
}  // namespace waybill::net
