"""What spark-submit runs: peat-fleet's command line."""
import sys

from peat_fleet.cli import main

sys.exit(main())
