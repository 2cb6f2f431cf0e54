/** What tests share: the engine under test, its database, callers over both endpoints. */
@NullMarked
package io.agentworkspace.engine.testing;

import org.jspecify.annotations.NullMarked;
