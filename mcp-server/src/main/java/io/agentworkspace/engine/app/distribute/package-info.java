/**
 * {@code ./engine distribute}: {@code ClusterQueries} reads the servers and changes tables, {@code SchemaParts} what is made again
 * for it, {@code ClusterChecks} says what must be different before, and {@code Distribution} does it.
 */
@NullMarked
package io.agentworkspace.engine.app.distribute;

import org.jspecify.annotations.NullMarked;
