/**
 * The connection to PostgreSQL, statements, migrations, notifications, and tasks that run in the background:
 * {@code Db}, {@code Housekeeping}.
 */
@NullMarked
package io.agentworkspace.engine.kernel.db;

import org.jspecify.annotations.NullMarked;
