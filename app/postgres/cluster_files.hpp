#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/postgres/child_process.hpp"
#include "app/postgres/postgres_programs.hpp"

namespace waybill::app {

/// The directories of a cluster and the user of its server. All functions throw ClusterError.
struct ClusterFiles {
  std::filesystem::path data_dir;  // absolute
  std::filesystem::path cluster;   // data_dir/postgres
  std::filesystem::path socket;    // the directory of the unix socket
  std::optional<Identity> run_as;  // set only if this process is root
};

/// Creates the data directory if it is missing. Throws if another user has created the socket's directory.
ClusterFiles open_data_dir(const std::filesystem::path& data_dir);

/// Locks the data directory for as long as the handle lives. Throws ClusterInUse.
FileHandle lock_data_dir(const std::filesystem::path& data_dir);

/// Creates the cluster with an empty database `waybill`. A crash leaves no partial cluster.
void make_cluster(const ClusterFiles& files, const PostgresPrograms& programs);

/// The major version of the cluster's files; 0 when there is no cluster.
int cluster_version(const ClusterFiles& files);

/// Creates the directory of the socket with the data directory's permissions.
void make_socket_directory(const ClusterFiles& files);

/// Writes the whole file for the server's user.
void write_file(const ClusterFiles& files, const std::filesystem::path& path, std::string_view content,
                unsigned mode = 0600);

/// A directory as the server's command line names it: by its path or, if the server runs as another user, by
/// a descriptor that the server inherits.
class DirectoryForServer {
 public:
  DirectoryForServer(const std::filesystem::path& directory, const std::optional<Identity>& run_as);
  const std::string& text() const { return text_; }
  void pass_to(ChildOptions& child) const;

 private:
  FileHandle handle_;
  std::string text_;
};

}  // namespace waybill::app
