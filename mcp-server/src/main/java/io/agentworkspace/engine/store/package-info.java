/** Everything that knows SQL: one class for a table or a small cluster of them. Migrations are in {@code db/migration}. */
@NullMarked
package io.agentworkspace.engine.store;

import org.jspecify.annotations.NullMarked;
