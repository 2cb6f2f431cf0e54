/** The schema: {@code Migrations} creates it from {@code Baseline} in a new database, and upgrades it with those in {@code db/migration} and {@code NameKeys}. */
@NullMarked
package io.agentworkspace.engine.db.migration;

import org.jspecify.annotations.NullMarked;
