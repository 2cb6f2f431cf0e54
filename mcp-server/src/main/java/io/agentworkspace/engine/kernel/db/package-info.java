/**
 * The connection to PostgreSQL, statements, migrations, and notifications: {@code Db}.
 */
@NullMarked
package io.agentworkspace.engine.kernel.db;

import org.jspecify.annotations.NullMarked;
