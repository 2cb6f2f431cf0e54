/** The process: assembles all parts by hand, starts and stops them, and has the commands of the command line. */
@NullMarked
package io.agentworkspace.engine.app;

import org.jspecify.annotations.NullMarked;
