"""Django's admin over a database of its own, for end-to-end tests.

    python3 site.py <folder> <name of the host it is called by>

The folder keeps the database. DJANGO_SUPERUSER_USERNAME, _PASSWORD and _EMAIL are
who may sign in. It prints the port it listens on, on 127.0.0.1, and serves until
its standard input ends.
"""
import os
import socketserver
import sys
import threading
import wsgiref.simple_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.management.utils import get_random_secret_key
from django.urls import path

folder, host = sys.argv[1:]
settings.configure(
    ALLOWED_HOSTS=[host],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "db.sqlite3")}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=[
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
        "django.contrib.messages", "django.contrib.sessions", "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY=get_random_secret_key(),
    STATIC_URL="/static/",
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
)
django.setup()

from django.contrib import admin  # noqa: E402: only after the set-up
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


call_command("migrate", verbosity=0)
call_command("createsuperuser", interactive=False, verbosity=0)
server = wsgiref.simple_server.make_server(
    "127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), server_class=Server, handler_class=Quiet)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
