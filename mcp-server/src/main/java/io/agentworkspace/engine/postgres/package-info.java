/** The embedded database: a real PostgreSQL that starts, is watched over, and stops with the engine. */
@NullMarked
package io.agentworkspace.engine.postgres;

import org.jspecify.annotations.NullMarked;
