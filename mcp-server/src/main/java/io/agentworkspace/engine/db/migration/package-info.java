/** The migrations of the schema: {@code Migrations} runs those in {@code db/migration}, and {@code NameKeys}, which computes the keys of names again. */
@NullMarked
package io.agentworkspace.engine.db.migration;

import org.jspecify.annotations.NullMarked;
