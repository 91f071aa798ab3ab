#pragma once

#include <cstdint>
#include <list>
#include <utility>

namespace waybill::simulate {

using Xid = std::uint64_t;  // 0: none

/// A table with the visibility of PostgreSQL's "read committed": a statement sees what was committed before
/// it began, and the changes of its own transaction.
template <typename Row>
class Table {
 public:
  struct Version {
    Row row;
    Xid made = 0;    // the transaction that wrote it; 0 once it is committed
    Xid ended = 0;   // the open transaction that deleted or replaced it
    Xid locked = 0;  // the open transaction that locked it

    bool is_visible_to(Xid own) const { return (made == 0 || made == own) && (ended == 0 || ended != own); }
    /// The other transaction that a writer must wait for; 0 if there is none.
    Xid holder(Xid own) const {
      if (ended != 0 && ended != own) return ended;
      return locked != 0 && locked != own ? locked : 0;
    }
  };

  std::list<Version>& versions() { return versions_; }
  const std::list<Version>& versions() const { return versions_; }

  void insert(Xid own, Row row) { versions_.push_back({std::move(row), own}); }
  void replace(Xid own, Version& version, Row row) {
    if (version.made == own) {
      version.row = std::move(row);
      return;
    }
    version.ended = own;
    insert(own, std::move(row));
  }
  void remove(Xid own, Version& version) { version.ended = own; }
  /// Changes the matching rows that the transaction sees and has not written itself.
  template <typename Matches, typename Change>
  void update(Xid own, Matches matches, Change change) {
    for (Version& version : versions_) {
      if (!version.is_visible_to(own) || version.made == own || !matches(version.row)) continue;
      Row row = version.row;
      change(row);
      replace(own, version, std::move(row));
    }
  }

  void commit(Xid xid) { finish(xid, &Version::ended, &Version::made); }
  void roll_back(Xid xid) { finish(xid, &Version::made, &Version::ended); }

 private:
  /// Erases the versions with `xid` in the member `gone`, and clears it in `kept`.
  void finish(Xid xid, Xid Version::* gone, Xid Version::* kept) {
    for (auto version = versions_.begin(); version != versions_.end();) {
      if ((*version).*gone == xid) {
        version = versions_.erase(version);
        continue;
      }
      if ((*version).*kept == xid) (*version).*kept = 0;
      if (version->locked == xid) version->locked = 0;
      ++version;
    }
  }

  std::list<Version> versions_;
};

}  // namespace waybill::simulate
