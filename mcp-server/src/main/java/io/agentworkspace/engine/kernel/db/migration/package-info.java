/** The schema: {@code Migrations} creates it from {@code Baseline}, and upgrades it with those in {@code db/migration}. */
@NullMarked
package io.agentworkspace.engine.kernel.db.migration;

import org.jspecify.annotations.NullMarked;
