// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Folders whose files vitc runs, or makes part of libraries: nobody but the
/// user and root may be able to change them.
#ifndef VITC_SUPPORT_TRUSTEDFOLDER_H
#define VITC_SUPPORT_TRUSTEDFOLDER_H

#include "vitc/Support/Error.h"

#include <string>

namespace vitc {

/// Refuses `folder` if another user could put files into it: if it, a folder
/// above it or a link on the way belongs to another user, or if others may
/// write to one of them. Above it a sticky folder (/tmp) will do, since others
/// cannot rename what is in it. As nobody else can change any part of a path
/// that was accepted, it stays safe to use. Folders that are missing are
/// created, for the user alone to write, if `create` says so.
llvm::Error requireTrusted(llvm::StringRef folder, bool create);

/// The contents of a file that the user or root owns, and no other may write.
/// Links are not followed.
llvm::Expected<std::string> readTrusted(llvm::StringRef path);

} // namespace vitc

#endif // VITC_SUPPORT_TRUSTEDFOLDER_H
