/** The embedded PostgreSQL: unpacks, starts, watches and stops it. */
@NullMarked
package io.agentworkspace.engine.kernel.db.embedded;

import org.jspecify.annotations.NullMarked;
