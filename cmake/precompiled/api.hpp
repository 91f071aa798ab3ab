#pragma once

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/schema.hpp"
#include "api/endpoint/services.hpp"
#include "base/error.hpp"
#include "base/secret_box.hpp"
#include "base/thread/mutex.hpp"
#include "cmake/precompiled/storage.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
