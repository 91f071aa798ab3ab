#include "api/endpoint/list_cursor.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

class ListCursors : public testing::Test {
 protected:
  using Query = std::vector<std::pair<std::string_view, std::string>>;

  static Call call(Query query, const Guid& business) {
    Call call;
    call.principal.business_id = business;
    call.query = std::move(query);
    return call;
  }

  std::optional<ListCursor> find(const Query& query, std::size_t keys = 2, std::string_view list = "orders") {
    return ListCursor::find(call(query, business), secrets, list, keys);
  }

  /// The cursor behind a row of the list of `query`.
  std::string cursor(Query query) {
    query.emplace_back("after", "");
    return find(query).value().seal(R"(["2026-01-01 00:00:00+00",null])");
  }

  /// The name of the refused parameter; empty if none is.
  std::string refused(const Query& query, std::size_t keys = 2, std::string_view list = "orders") {
    try {
      find(query, keys, list);
      return {};
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::validation_error);
      return failure.details().at(0).field;
    }
  }

  const Guid business = Guid::random();
  const SecretBox secrets{SecretBox::Key{1}};
};

TEST_F(ListCursors, ACallWithoutAfterHasNone) {
  EXPECT_FALSE(find({}));
  EXPECT_FALSE(find({{"Page", "2"}}));
}

TEST_F(ListCursors, AnEmptyOneBeginsAtTheStart) { EXPECT_FALSE(find({{"after", ""}}).value().position()); }

TEST_F(ListCursors, OneGivesThePositionWhateverThePageHas) {
  const auto sealed = cursor({{"$orderby", "createdAt"}, {"$filter", "status eq 'ready'"}});
  const auto found = find({{"$orderby", "createdAt"},
                           {"$filter", "status eq 'ready'"},
                           {"PageSize", "7"},
                           {"count", "true"},
                           {"$select", "guid"},
                           {"after", sealed}});
  EXPECT_EQ(found.value().position().value(), (Position{"2026-01-01 00:00:00+00", std::nullopt}));
}

TEST_F(ListCursors, OneFitsNoOtherFilterOrderListOrBusiness) {
  const auto sealed = cursor({{"$filter", "status eq 'ready'"}});
  EXPECT_EQ(refused({{"$filter", "status eq 'ready'"}, {"after", sealed}}), "");
  EXPECT_EQ(refused({{"after", sealed}}), "after");
  EXPECT_EQ(refused({{"$filter", "status eq 'shipped'"}, {"after", sealed}}), "after");
  EXPECT_EQ(refused({{"$search", "status eq 'ready'"}, {"after", sealed}}), "after");
  EXPECT_EQ(refused({{"$filter", "status eq 'ready'"}, {"$orderby", "status"}, {"after", sealed}}), "after");
  EXPECT_EQ(refused({{"$filter", "status eq 'ready'"}, {"after", sealed}}, 2, "runs"), "after");
  EXPECT_EQ(refused({{"$filter", "status eq 'ready'"}, {"after", sealed}}, 3), "after");
  EXPECT_THROW(ListCursor::find(call({{"$filter", "status eq 'ready'"}, {"after", sealed}}, Guid::random()),
                                secrets, "orders", 2),
               Failure);
}

TEST_F(ListCursors, AChangedOneIsRefused) {
  auto sealed = cursor({});
  EXPECT_EQ(refused({{"after", sealed}}), "");
  for (const std::size_t at : {std::size_t{0}, sealed.size() / 2, sealed.size() - 3}) {
    const char kept = std::exchange(sealed[at], sealed[at] == 'A' ? 'B' : 'A');
    EXPECT_EQ(refused({{"after", sealed}}), "after") << at;
    sealed[at] = kept;
  }
  for (const std::string other : {"x", "*", "AAAA"}) EXPECT_EQ(refused({{"after", other}}), "after") << other;
}

TEST_F(ListCursors, OneDoesNotShowItsValues) { EXPECT_EQ(cursor({}).find("2026"), std::string::npos); }

// Otherwise equal pages would have different entity tags.
TEST_F(ListCursors, ThePositionOfAListHasOneCursorThatNoOtherListHas) {
  EXPECT_EQ(cursor({}), cursor({}));
  EXPECT_NE(cursor({}), cursor({{"$filter", "status eq 'ready'"}}));
}

TEST_F(ListCursors, APageNumberNextToOneIsRefused) {
  EXPECT_EQ(refused({{"Page", "1"}, {"after", ""}}), "Page");
  EXPECT_EQ(refused({{"Page", "2"}, {"after", cursor({})}}), "Page");
}

TEST_F(ListCursors, TheAnswerHasTotalsOnlyIfTheyAreCounted) {
  const Page page{.number = 1, .size = 50};
  EXPECT_EQ(cursor_answer("[]", page, std::nullopt, std::nullopt).members,
            R"(,"pageSize":50,"nextCursor":null,"hasMore":false)");
  EXPECT_EQ(cursor_answer("[]", page, "abc", 51).members,
            R"(,"pageSize":50,"totalCount":51,"totalPages":2,"nextCursor":"abc","hasMore":true)");
}

}  // namespace
}  // namespace waybill::api
