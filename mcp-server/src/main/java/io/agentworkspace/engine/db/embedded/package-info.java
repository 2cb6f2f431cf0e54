/** The embedded PostgreSQL: unpacks, starts, watches and stops it. */
@NullMarked
package io.agentworkspace.engine.db.embedded;

import org.jspecify.annotations.NullMarked;
