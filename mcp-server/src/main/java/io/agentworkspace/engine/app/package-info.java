/**
 * The process: {@code Main}, {@code App} (assembly by hand), {@code Features} (which features there are) and the
 * commands of the command line.
 */
@NullMarked
package io.agentworkspace.engine.app;

import org.jspecify.annotations.NullMarked;
