/** The connection to PostgreSQL, statements, migrations, and the tasks that run in the background. */
@NullMarked
package io.agentworkspace.engine.db;

import org.jspecify.annotations.NullMarked;
